import type { ComponentChildren } from 'preact';

/** A table that may be wider than its place, and is then scrolled, by keyboard too. */
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
