import type { ComponentType, VNode } from 'preact';
import { useLoaded } from '../api/use-loaded.ts';
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

/**
 * A component of a script, such as that of `the map`, which is loaded when it is first shown; a
 * page says so meanwhile.
 */
export function onRequest<Props extends object>(
  of: string,
  load: () => Promise<ComponentType<Props>>,
  { isPage = false } = {},
): (props: Props) => VNode | null {
  return (props) => {
    const loaded = useLoaded(async () => ({ Part: await load() }));
    if (loaded.state === 'failed') return <FailedScript of={of} />;
    if (loaded.state === 'here') return <loaded.value.Part {...props} />;
    return isPage ? <p class="quiet waiting">Loading {of} …</p> : null;
  };
}
