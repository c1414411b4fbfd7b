import type { ComponentChildren } from 'preact';

/** A notice. Screen readers announce an error immediately, others at the next pause. */
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
