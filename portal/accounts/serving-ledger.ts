import type { Ledger } from './ledger.ts';
import type { Metering } from './metering.ts';
import type { Replays } from './replays.ts';

/** Ledger operations of the proxy. */
export interface ServingLedger extends Metering, Replays, Pick<Ledger, 'secret' | 'ping'> {}

/** A call to a ledger. */
export interface LedgerCall {
  readonly operation: Exclude<keyof ServingLedger, 'secret'>;
  /** Purpose of a debit. */
  readonly route?: string;
  /** Tokens to debit or refund. */
  readonly tokens?: number | undefined;
}

/** Wraps a call: makes it and passes on its outcome, or refuses it. */
export type AroundLedgerCall = <T>(what: LedgerCall, call: () => Promise<T>) => Promise<T>;

type Operation = LedgerCall['operation'];

/** Describes each call for the function that wraps it. */
const CALLS: {
  readonly [Name in Operation]: (...args: Parameters<ServingLedger[Name]>) => LedgerCall;
} = {
  admit: constantly({ operation: 'admit' }),
  admitSession: constantly({ operation: 'admitSession' }),
  debit: ({ route, tokens }) => ({ operation: 'debit', route, tokens }),
  debitOnce: ({ route, tokens }) => ({ operation: 'debitOnce', route, tokens }),
  ping: constantly({ operation: 'ping' }),
  refund: (charge, tokens = charge.tokens) => ({ operation: 'refund', tokens }),
  replay: constantly({ operation: 'replay' }),
  storeResponse: constantly({ operation: 'storeResponse' }),
  undeliver: (_receipt, tokens) => ({ operation: 'undeliver', tokens }),
};

function constantly(call: LedgerCall): () => LedgerCall {
  return () => call;
}

/** A ledger that intercepts each call of the proxy, for instance to measure it. */
export function interceptedLedger(ledger: ServingLedger, around: AroundLedgerCall): ServingLedger {
  const calls = Object.entries(CALLS).map(([name, describe]) => {
    const describeCall = describe as (typeof CALLS)['debit'];
    const intercept: ServingLedger['debit'] = (...args) =>
      around(describeCall(...args), () => ledger[name as 'debit'](...args));
    return [name, intercept];
  });
  return { ...Object.fromEntries(calls), secret: (name: string) => ledger.secret(name) };
}
