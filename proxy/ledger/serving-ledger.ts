import type { Ledger } from './ledger.ts';
import type { Metering } from './metering.ts';
import type { Replays } from './replays.ts';

export interface ServingLedger extends Metering, Replays, Pick<Ledger, 'secret' | 'ping'> {}

export interface LedgerCall {
  readonly operation: Exclude<keyof ServingLedger, 'secret'>;
  readonly route?: string;
  readonly tokens?: number | undefined;
}

/** Wraps a call: makes it and passes on its outcome, or refuses it. */
export type LedgerInterceptor = <T>(what: LedgerCall, call: () => Promise<T>) => Promise<T>;

/**
 * Returns a ledger whose calls, except `secret`, go through `around`, for instance to be measured.
 */
export function interceptedLedger(ledger: ServingLedger, around: LedgerInterceptor): ServingLedger {
  return {
    admit: (...args) => around({ operation: 'admit' }, () => ledger.admit(...args)),
    admitSession: (...args) =>
      around({ operation: 'admitSession' }, () => ledger.admitSession(...args)),
    debit(charge) {
      const { route, tokens } = charge;
      return around({ operation: 'debit', route, tokens }, () => ledger.debit(charge));
    },
    debitOnce(charge, request) {
      const { route, tokens } = charge;
      return around({ operation: 'debitOnce', route, tokens }, () =>
        ledger.debitOnce(charge, request),
      );
    },
    refund: (charge, tokens = charge.tokens) =>
      around({ operation: 'refund', tokens }, () => ledger.refund(charge, tokens)),
    replay: (...args) => around({ operation: 'replay' }, () => ledger.replay(...args)),
    storeResponse: (...args) =>
      around({ operation: 'storeResponse' }, () => ledger.storeResponse(...args)),
    undeliver: (receipt, tokens) =>
      around({ operation: 'undeliver', tokens }, () => ledger.undeliver(receipt, tokens)),
    ping: () => around({ operation: 'ping' }, () => ledger.ping()),
    secret: (name) => ledger.secret(name),
  };
}
