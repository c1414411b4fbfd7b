import { CopyButton } from './copy-button.tsx';

/** Code to read and copy, scrollable if it is too wide, also by keyboard. */
export function CodeBlock({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div class="code-block">
      <div class="code-head">
        <span class="quiet">{what}</span>
        <CopyButton text={text} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section aria-label={what} tabIndex={0}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    </div>
  );
}
