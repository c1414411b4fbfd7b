import type { ComponentChildren } from 'preact';
import { explained } from '../api/fault.ts';
import type { useLoaded } from '../api/use-loaded.ts';
import { Notice } from './notice.tsx';

/** Shows loaded data; until then a loading line, and on failure the error with a retry button. */
export function Shown<Value>(props: {
  readonly of: ReturnType<typeof useLoaded<Value>>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { of: loaded, what, children } = props;
  if (loaded.state === 'here') return <>{children(loaded.value)}</>;
  if (loaded.state === 'loading') return <p class="quiet waiting">Loading {what} …</p>;
  return (
    <Notice kind="fault">
      <p>
        Couldn’t load {what}. {explained(loaded.error)}
      </p>
      <button type="button" class="button" onClick={() => void loaded.reload()}>
        Try again
      </button>
    </Notice>
  );
}
