import type { AccountId } from './accounts.ts';
import type { KeyHash } from './key-hash.ts';
import type { Ledger } from './ledger.ts';
import type { Admission, Charge, Debit, Metering } from './metering.ts';
import type {
  DebitOnce,
  IdempotentRequest,
  Receipt,
  Replay,
  Replays,
  StoredResponse,
} from './replays.ts';
import type { SessionId } from './sessions.ts';

/** Ledger operations of the proxy. */
export interface ServingLedger extends Metering, Replays, Pick<Ledger, 'secret' | 'ping'> {}

/** A call to a ledger. */
export interface LedgerCall {
  readonly operation: Exclude<keyof ServingLedger, 'secret'>;
  /** Purpose of a debit. */
  readonly route?: string;
  /** Tokens to debit or refund. */
  readonly tokens?: number;
}

/** Wraps a call: makes it and passes on its outcome, or refuses it. */
export type AroundLedgerCall = <T>(what: LedgerCall, call: () => Promise<T>) => Promise<T>;

const ADMIT: LedgerCall = { operation: 'admit' };
const ADMIT_SESSION: LedgerCall = { operation: 'admitSession' };

/** A ledger that intercepts each call of the proxy, for instance to measure it. */
export class WatchedLedger implements ServingLedger {
  readonly #ledger: ServingLedger;
  readonly #around: AroundLedgerCall;

  constructor(ledger: ServingLedger, around: AroundLedgerCall) {
    this.#ledger = ledger;
    this.#around = around;
  }

  admit(keyHash: KeyHash, nowMs: number): Promise<Admission> {
    return this.#around(ADMIT, () => this.#ledger.admit(keyHash, nowMs));
  }

  admitSession(session: SessionId, nowMs: number): Promise<Admission> {
    return this.#around(ADMIT_SESSION, () => this.#ledger.admitSession(session, nowMs));
  }

  debit(charge: Charge): Promise<Debit> {
    const { route, tokens } = charge;
    return this.#around({ operation: 'debit', route, tokens }, () => this.#ledger.debit(charge));
  }

  refund(charge: Charge, tokens?: number): Promise<void> {
    return this.#around({ operation: 'refund', tokens: tokens ?? charge.tokens }, () =>
      this.#ledger.refund(charge, tokens),
    );
  }

  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay> {
    const { route, tokens } = charge;
    return this.#around({ operation: 'debitOnce', route, tokens }, () =>
      this.#ledger.debitOnce(charge, request),
    );
  }

  replay(id: AccountId, request: IdempotentRequest, nowMs: number): Promise<Replay | undefined> {
    return this.#around({ operation: 'replay' }, () => this.#ledger.replay(id, request, nowMs));
  }

  undeliver(receipt: Receipt, undelivered?: number): Promise<void> {
    return this.#around({ operation: 'undeliver', tokens: undelivered }, () =>
      this.#ledger.undeliver(receipt, undelivered),
    );
  }

  storeResponse(receipt: Receipt, response: StoredResponse): Promise<void> {
    return this.#around({ operation: 'storeResponse' }, () =>
      this.#ledger.storeResponse(receipt, response),
    );
  }

  secret(name: string): Promise<string> {
    return this.#ledger.secret(name);
  }

  ping(): Promise<void> {
    return this.#around({ operation: 'ping' }, () => this.#ledger.ping());
  }
}
