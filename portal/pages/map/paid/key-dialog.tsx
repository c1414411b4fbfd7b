import { useEffect, useRef, useState } from 'preact/hooks';
import { PLANS } from '../../../../proxy/plans.ts';
import { count, counted } from '../../formats.ts';
import { SignInLink } from '../../router/link.tsx';
import { useRequests } from './use-paid-requests.ts';

/**
 * Prompts a visitor who is not signed in for a key when something costs tokens and there is none.
 * Escape cancels.
 */
export function KeyDialog() {
  const requests = useRequests();
  const { waiting } = requests;
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState('');
  const isOpen = waiting !== null;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const submit = (event: Event) => {
    event.preventDefault();
    const entered = key.trim();
    if (entered === '') return;
    setKey('');
    requests.enterKey(entered);
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onClose={requests.dismiss}>
      <form onSubmit={submit}>
        <h2 id="key-title">This costs tokens</h2>
        {waiting !== null && (
          <p>
            At most {counted(waiting.price, 'token')} of your account. A new account has{' '}
            {count(PLANS.free_grant.tokens)} tokens free. You return to this map.
          </p>
        )}
        <div class="actions">
          <SignInLink class="button button-main">
            Sign in, {count(PLANS.free_grant.tokens)} tokens free
          </SignInLink>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
        <div class="field">
          <label for="map-key">API key</label>
          <input
            id="map-key"
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </div>
        <p class="quiet">
          In place of signing in. It stays in this page and is forgotten when you leave.
        </p>
        <button type="submit" class="button">
          Continue with this key
        </button>
      </form>
    </dialog>
  );
}
