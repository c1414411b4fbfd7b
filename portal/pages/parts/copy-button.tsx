import { useEffect, useState } from 'preact/hooks';

const SAID_FOR_MS = 2_500;

/** Copies a text to the clipboard, with confirmation. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
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
        {said || 'Copy'}
      </button>
      <span class="unseen" role="status">
        {said && `${said}: ${what}`}
      </span>
    </span>
  );
}
