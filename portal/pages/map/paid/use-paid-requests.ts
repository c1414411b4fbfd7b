import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../client/src/index.ts';
import { explained } from '../../api/fault.ts';
import { useSession } from '../../session/session.tsx';
import { useApi } from '../../session/use-api.ts';
import { OFFERED, type Outcome, type Outcomes, type PaidRequest, send } from './paid-request.ts';

/**
 * Sends the paid requests of the map, and keeps their results while the page is open. It is another
 * object after every change of an outcome.
 */
export interface PaidRequests extends Outcomes {
  /**
   * Sends a request that has no result yet; a visitor who is not signed in has to enter a key
   * first.
   */
  send(request: PaidRequest<unknown>): void;
  /** The request that waits for a key, if any. */
  readonly waiting: PaidRequest<unknown> | null;
  enterKey(key: string): void;
  /** Drops the request that waits for a key. */
  dismiss(): void;
}

const Shared = createContext<PaidRequests | null>(null);

export const PaidProvider = Shared.Provider;

/** Returns the requests that `PaidProvider` provides; fails outside it. */
export function useRequests(): PaidRequests {
  return useContext(Shared)!;
}

export function usePaidRequests(): PaidRequests {
  const { visitor } = useSession();
  const [key, setKey] = useState('');
  // People who are signed in pay by the session's browser token.
  const canPay = key !== '' || visitor.state === 'signed-in';
  const [waiting, setWaiting] = useState<PaidRequest<unknown> | null>(null);
  const client = useApi(key);
  const kept = useRef(new Map<string, Outcome<unknown>>());
  const [changes, redraw] = useState(0);

  const settle = (name: string, outcome: Outcome<unknown>) => {
    kept.current.set(name, outcome);
    redraw((turn) => turn + 1);
  };
  const run = async (request: PaidRequest<unknown>, by: typeof client) => {
    const { name } = request;
    const leaving = new AbortController();
    settle(name, { state: 'busy', cancel: () => leaving.abort() });
    const result = await send(request, by, leaving.signal);
    const { bill } = result;
    if ('value' in result) settle(name, { state: 'done', value: result.value, bill });
    else if (leaving.signal.aborted) settle(name, OFFERED);
    else {
      const { error } = result;
      const problem = error instanceof ApiError ? error : null;
      if (problem?.status === 401) setKey('');
      const slug = problem?.slug ?? null;
      settle(name, { state: 'failed', message: explained(error), slug, bill });
    }
  };
  useEffect(() => {
    if (!canPay || waiting === null) return;
    setWaiting(null);
    void run(waiting, client);
  });
  return useMemo(
    () => ({
      outcomeOf: <T>(name: string) => (kept.current.get(name) ?? OFFERED) as Outcome<T>,
      send(request) {
        const { state } = kept.current.get(request.name) ?? OFFERED;
        if (state === 'busy' || state === 'done') return;
        if (!canPay) setWaiting(request);
        else void run(request, client);
      },
      waiting,
      enterKey: setKey,
      dismiss: () => setWaiting(null),
    }),
    [changes, canPay, client, waiting],
  );
}
