import { useEffect, useState } from 'preact/hooks';

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

const SAID_FOR_MS = 2_500;

export function CopyButton(props: {
  readonly text: string;
  readonly what: string;
  readonly name?: string;
}) {
  const { text, what, name = 'Copy' } = props;
  const [said, setSaid] = useState<'' | 'Copied' | 'Copy failed'>('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Copy failed'),
    );
  return (
    <span class="copy">
      <button type="button" class="button button-small" aria-label={`Copy ${what}`} onClick={copy}>
        {said || name}
      </button>
      <span class="unseen" role="status">
        {said && `${said}: ${what}`}
      </span>
    </span>
  );
}
