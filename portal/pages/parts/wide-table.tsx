import type { ComponentChildren } from 'preact';

/** A table, scrollable if it is too wide, also by keyboard. */
export function WideTable(props: { readonly label: string; readonly children: ComponentChildren }) {
  const { label, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="wide" aria-label={label} tabIndex={0}>
      <table>
        <caption class="unseen">{label}</caption>
        {children}
      </table>
    </section>
  );
}
