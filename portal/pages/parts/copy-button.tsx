import { useEffect, useState } from 'preact/hooks';

const SAID_FOR_MS = 2_500;

/** Copies a text to the clipboard, with confirmation. */
export function CopyButton(props: {
  readonly text: string;
  readonly what: string;
  /** Label of the button. */
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
