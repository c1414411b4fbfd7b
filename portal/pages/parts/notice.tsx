import type { ComponentChildren } from 'preact';

/** Something to know. A fault is said at once by screen readers, the rest when there is a pause. */
export function Notice(props: {
  readonly kind: 'fault' | 'good' | 'plain';
  readonly children: ComponentChildren;
}) {
  const { kind, children } = props;
  return (
    <div class={`notice notice-${kind}`} role={kind === 'fault' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
