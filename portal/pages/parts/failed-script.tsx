import { Notice } from './notice.tsx';

/**
 * Says that a script, such as that of `the map`, could not be loaded. Browsers keep a script that
 * failed to load, so only a reload requests it again.
 */
export function FailedScript({ of }: { readonly of: string }) {
  return (
    <Notice kind="fault">
      <p>Couldn’t load {of}. Check your connection and try again.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </Notice>
  );
}
