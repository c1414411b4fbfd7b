import type { ComponentChildren } from 'preact';
import { useLoaded } from '../api/use-loaded.ts';
import { FailedScript } from '../parts/failed-script.tsx';

/** A page whose script and style are files of their own, which other pages do not load. */
export function LazyPage<Module>(props: {
  readonly what: string;
  readonly load: () => Promise<Module>;
  readonly children: (module: Module) => ComponentChildren;
}) {
  const { what, load, children } = props;
  const page = useLoaded(load);
  if (page.state === 'here') return <>{children(page.value)}</>;
  return (
    <div class="page">
      {page.state === 'loading' ? (
        <p class="quiet waiting">Loading {what} …</p>
      ) : (
        <FailedScript of={what} />
      )}
    </div>
  );
}
