import { useEffect, useRef, useState } from 'preact/hooks';
import type { NextPage } from '../../page-paths.ts';
import type { Account } from '../../responses.ts';
import { CODE_DIGITS, digitsOfCode } from '../../sign-in/code-digits.ts';
import { Fault } from '../api/fault.ts';
import { requestCode, verifyCode } from '../api/portal.ts';
import { useAction } from '../api/use-action.ts';
import { Field } from '../parts/field.tsx';

function plainly(error: unknown): string {
  if (!(error instanceof Fault)) return 'Something went wrong. Please try again.';
  switch (error.slug) {
    case 'invalid-code':
      return 'That code did not work. Check the digits in the latest message. After ten minutes, request another code.';
    case 'too-many-codes':
      return `Too many attempts. Please use the link in the latest message, send another code, or try again in ${inWords(error.retryAfterSeconds)}.`;
    case 'rate-limited':
      return `Too many attempts. Please try again in ${inWords(error.retryAfterSeconds)}.`;
    default:
      return error.message;
  }
}

function inWords(seconds: number): string {
  if (seconds <= 0) return 'a while';
  if (seconds < 100) return `${seconds} seconds`;
  if (seconds > 7_200) return `${Math.ceil(seconds / 3_600)} hours`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** Whole seconds until something can be retried. */
function useCountdown(first: number): {
  readonly seconds: number;
  begin(seconds: number): void;
} {
  const [endsAt, setEndsAt] = useState(() => performance.now() + first * 1000);
  const [seconds, setSeconds] = useState(first);
  useEffect(() => {
    const tick = () => setSeconds(Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [endsAt]);
  return { seconds, begin: (wait) => setEndsAt(performance.now() + wait * 1000) };
}

const RESEND_AFTER_S = 30;

function digitWord(start: string): 'six' | 'twelve' {
  return digitsOfCode(start) === CODE_DIGITS ? 'six' : 'twelve';
}

/** Input of the code. A whole code, typed or pasted, is submitted automatically. */
export function CodeForm(props: {
  readonly email: string;
  /** Page that the mailed link continues to. */
  readonly next: NextPage;
  readonly onSignedIn: (account: Account) => void;
  readonly onOtherAddress: () => void;
}) {
  const { email, next, onSignedIn, onOtherAddress } = props;
  const [code, setCode] = useState('');
  const [said, setSaid] = useState('');
  const { isBusy, fault, setFault, run } = useAction(plainly);
  const wait = useCountdown(RESEND_AFTER_S);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const verify = async (digits: string) => {
    if (isBusy) return;
    const isWhole = digits.length === digitsOfCode(digits);
    setFault(isWhole ? '' : `The code has ${digitWord(digits)} digits.`);
    if (!isWhole) return input.current?.focus();
    if (await run(async () => onSignedIn(await verifyCode(email, digits)))) return;
    setCode('');
    input.current?.focus();
  };
  const type = (text: string) => {
    const typed = text.replaceAll(/\D/g, '');
    const digits = typed.slice(0, digitsOfCode(typed));
    setCode(digits);
    if (digits.length === digitsOfCode(digits)) void verify(digits);
  };
  const resend = async () => {
    setFault('');
    setSaid('');
    wait.begin(RESEND_AFTER_S);
    input.current?.focus();
    try {
      await requestCode(email, next);
      setSaid(
        'A new code is on its way. Earlier codes stop working when it arrives. If nothing arrives, use the latest message you have.',
      );
    } catch (error) {
      setFault(plainly(error));
    }
  };
  return (
    <form
      class="card"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void verify(code);
      }}
    >
      <p role="status">
        We sent a message to <strong>{email}</strong>. Enter its code here, or follow its link. Both
        expire after ten minutes.
      </p>
      <Field
        id="code"
        label={digitWord(code) === 'six' ? 'Six-digit code' : 'Twelve-digit code'}
        fault={fault}
        input={input}
        class="code-input"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onText={type}
      />
      <button type="submit" class="button button-main" aria-disabled={isBusy}>
        {isBusy ? 'Checking …' : 'Sign in'}
      </button>
      <div class="actions actions-quiet">
        <button
          type="button"
          class="button button-quiet"
          disabled={wait.seconds > 0}
          onClick={() => void resend()}
        >
          {wait.seconds > 0 ? `Send another code in ${wait.seconds} s` : 'Send another code'}
        </button>
        <button type="button" class="button button-quiet" onClick={onOtherAddress}>
          Use a different address
        </button>
      </div>
      <p class="quiet" role="status">
        {said}
      </p>
    </form>
  );
}
