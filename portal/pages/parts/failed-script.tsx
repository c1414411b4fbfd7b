import { Notice } from './notice.tsx';

/**
 * Says that the map's script could not be loaded. Browsers keep a script that failed to load, so
 * only a reload requests it again.
 */
export function FailedMap() {
  return (
    <Notice kind="fault">
      <p>The map could not be loaded. Check your connection and try again.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Try again
      </button>
    </Notice>
  );
}
