import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../client/src/index.ts';
import { explained } from '../../api/fault.ts';
import { useApi } from '../../api/use-api.ts';
import { useSession } from '../../session/session.tsx';
import { type Outcome, type Purchase, send } from './purchase.ts';

/** Makes the purchases of the map, and keeps them as long as the page is open. */
export interface Desk {
  outcomeOf<T>(name: string): Outcome<T>;
  /** Buys, after a key was entered by a visitor who is not signed in; what has been bought is not bought again. */
  buy(purchase: Purchase<unknown>): void;
  /** A purchase that waits for a key. */
  readonly waiting: Purchase<unknown> | null;
  enterKey(key: string): void;
  /** Gives up the purchase that waits for a key. */
  dismiss(): void;
}

const OFFERED = { state: 'offered' } as const;

export function useDesk(): Desk {
  const { visitor } = useSession();
  const [key, setKey] = useState('');
  // People who are signed in pay by the session's browser token.
  const canPay = key !== '' || visitor.state === 'signed-in';
  const [waiting, setWaiting] = useState<Purchase<unknown> | null>(null);
  const client = useApi(key);
  const kept = useRef(new Map<string, Outcome<unknown>>());
  const [, redraw] = useState(0);

  const settle = (name: string, outcome: Outcome<unknown>) => {
    kept.current.set(name, outcome);
    redraw((turn) => turn + 1);
  };
  const run = async (purchase: Purchase<unknown>, by: typeof client) => {
    const { name } = purchase;
    const leaving = new AbortController();
    settle(name, { state: 'busy', cancel: () => leaving.abort() });
    const result = await send(purchase, by, leaving.signal);
    const { bill } = result;
    if ('value' in result) settle(name, { state: 'bought', value: result.value, bill });
    else if (leaving.signal.aborted) settle(name, OFFERED);
    else {
      const isRefused = result.error instanceof ApiError && result.error.status === 401;
      if (isRefused) setKey('');
      settle(name, { state: 'failed', message: explained(result.error), bill });
    }
  };
  useEffect(() => {
    if (!canPay || waiting === null) return;
    setWaiting(null);
    void run(waiting, client);
  });
  return {
    outcomeOf: <T>(name: string) => (kept.current.get(name) ?? OFFERED) as Outcome<T>,
    buy(purchase) {
      const { state } = kept.current.get(purchase.name) ?? OFFERED;
      if (state === 'busy' || state === 'bought') return;
      if (!canPay) setWaiting(purchase);
      else void run(purchase, client);
    },
    waiting,
    enterKey: setKey,
    dismiss: () => setWaiting(null),
  };
}
