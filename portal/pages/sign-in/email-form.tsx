import { useEffect, useRef, useState } from 'preact/hooks';
import type { NextPage } from '../../page-paths.ts';
import { requestCode } from '../api/portal.ts';
import { useAction } from '../api/use-action.ts';
import { Field } from '../parts/field.tsx';

export function EmailForm(props: {
  readonly email: string;
  /** Page that the mailed link continues to. */
  readonly next: NextPage;
  readonly onSent: (email: string) => void;
}) {
  const [email, setEmail] = useState(props.email);
  const { isBusy, fault, setFault, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const send = async (event: Event) => {
    event.preventDefault();
    const address = email.trim();
    if (isBusy) return;
    const wrong = faultIn(address);
    setFault(wrong);
    if (wrong) return input.current?.focus();
    if (await run(() => requestCode(address, props.next))) props.onSent(address);
    else input.current?.focus();
  };
  return (
    <form class="card" onSubmit={send} noValidate>
      <Field
        id="email"
        label="E-mail address"
        fault={fault}
        input={input}
        type="email"
        name="email"
        autoComplete="email"
        autoCapitalize="off"
        value={email}
        onText={setEmail}
      />
      <button type="submit" class="button button-main" aria-disabled={isBusy}>
        {isBusy ? 'Sending …' : 'Send me a code'}
      </button>
    </form>
  );
}

/** Finds obvious errors in an address; the server decides. */
function faultIn(address: string): string {
  if (address === '') return 'Please enter your e-mail address.';
  if (!/^\S+@\S+$/.test(address)) return 'An e-mail address looks like name@example.org.';
  return '';
}
