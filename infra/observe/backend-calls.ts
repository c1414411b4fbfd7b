import { AddressRefused, type Mailer } from '../../portal/mail/mailer.ts';
import type { Admission } from '../../proxy/ledger/metering.ts';
import type { LedgerCall, LedgerInterceptor } from '../../proxy/ledger/serving-ledger.ts';
import type { CircuitBreaker } from '../../shards/concurrency/circuit-breaker.ts';
import { DurationHistogram } from '../../shards/concurrency/duration-histogram.ts';
import { StoreError } from '../../shards/errors.ts';
import type { StoreInterceptor } from '../../shards/store/instrumented-store.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import type { Trace } from './tracing.ts';

/** Counts, durations and bytes of one kind of call. */
export class CallTally {
  readonly durations = new DurationHistogram();
  failed = 0;
  underWay = 0;
  /** Bytes requested and received. */
  bytes: Bytes = 0;

  ended(begunMs: Millis): void {
    this.underWay--;
    this.durations.add(performance.now() - begunMs);
  }
}

/** Makes calls, counting them by kind. */
class Calls {
  readonly byKind = new Map<string, CallTally>();

  protected tally(kind: string): CallTally {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const made = new CallTally();
    this.byKind.set(kind, made);
    return made;
  }

  /**
   * Makes a call and counts it. `received` is called with the result of a successful call;
   * `isAnswer` says which errors are answers of a backend that works.
   */
  protected async made<T>(
    kind: string,
    call: () => Promise<T>,
    received: (value: T, tally: CallTally) => void,
    isAnswer: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const tally = this.tally(kind);
    const begunMs = performance.now();
    tally.underWay++;
    try {
      const value = await call();
      received(value, tally);
      return value;
    } catch (error) {
      if (!isAnswer(error)) tally.failed++;
      throw error;
    } finally {
      tally.ended(begunMs);
    }
  }
}

/** Calls to a store, by kind of object: its folder in the store. */
export class StoreCalls extends Calls {
  readonly breaker: CircuitBreaker;
  /**
   * Requests that failed because an object is damaged, by kind of object. Reads of damaged objects
   * succeed; the damage is found by checks of the data that they return.
   */
  readonly damagedByKind = new Map<string, number>();
  readonly #trace: Trace | null;

  constructor(breaker: CircuitBreaker, trace: Trace | null) {
    super();
    this.breaker = breaker;
    this.#trace = trace;
  }

  readonly around: StoreInterceptor = (what, call) => {
    const { operation, object, bytes } = what;
    // Only range reads count: polls such as latest.json do not show whether requests can be served.
    const guarded = operation === 'range' ? () => this.breaker.run(call) : call;
    const traced = () =>
      this.#trace === null
        ? guarded()
        : this.#trace(`store ${operation}`, { 'tta.object': object, 'tta.bytes': bytes }, guarded);
    const count = (_value: unknown, tally: CallTally) => {
      tally.bytes += bytes;
    };
    // Objects that are read whole may be optional, such as the list of exports.
    const isAnswer = (error: unknown) =>
      operation === 'whole' && error instanceof StoreError && error.failure === 'missing';
    return this.made(kindOf(object), traced, count, isAnswer);
  };

  /** Counts a request that failed because an object is damaged. */
  readonly damaged = (object: string): void => {
    const kind = kindOf(object);
    this.damagedByKind.set(kind, (this.damagedByKind.get(kind) ?? 0) + 1);
  };
}

/**
 * Returns the kind of an object. Kinds come from the format, so there are few; other names count as
 * `other`.
 */
function kindOf(object: string): string {
  return /^([a-z-]+)(?:\/|\.json$)/.exec(object)?.[1] ?? 'other';
}

const OPERATIONS: readonly LedgerCall['operation'][] = [
  'admit',
  'admitSession',
  'debit',
  'debitOnce',
  'replay',
  'refund',
  'undeliver',
  'storeResponse',
  'ping',
];
/** Operations that must be attempted even while the breaker is open. */
const OWED = new Set<LedgerCall['operation']>(['refund', 'undeliver', 'storeResponse', 'ping']);

/** Ledger calls by operation, and the tokens they moved. */
export class LedgerCalls extends Calls {
  /** Null for a ledger whose failing calls already fail fast. */
  readonly breaker: CircuitBreaker | null;
  readonly charged = new Map<string, number>();
  repaid = 0;
  /** Requests with a key or browser token, by outcome. */
  readonly admissions = new Map<Admission['outcome'], number>([
    ['admitted', 0],
    ['rate-limited', 0],
    ['invalid-key', 0],
    ['account-disabled', 0],
  ]);
  /** Responses of `Idempotency-Key`s that were not stored, or removed, to bound their bytes. */
  responsesGivenUp = 0;
  readonly #trace: Trace | null;

  constructor(breaker: CircuitBreaker | null, trace: Trace | null) {
    super();
    this.breaker = breaker;
    this.#trace = trace;
    // Created at the start, so that the first failure shows as an increase.
    for (const operation of OPERATIONS) this.tally(operation);
  }

  readonly around: LedgerInterceptor = (what, call) => {
    const { operation } = what;
    return this.made(operation, this.#guarded(operation, call), (value) =>
      this.#count(what, value),
    );
  };

  #guarded<T>(operation: LedgerCall['operation'], call: () => Promise<T>): () => Promise<T> {
    const { breaker } = this;
    const trace = this.#trace;
    const guarded = breaker === null || OWED.has(operation) ? call : () => breaker.run(call);
    return trace === null ? guarded : () => trace(`ledger ${operation}`, {}, guarded);
  }

  #count({ operation, route, tokens = 0 }: LedgerCall, value: unknown): void {
    if (operation === 'admit' || operation === 'admitSession') {
      const { outcome } = value as Admission;
      this.admissions.set(outcome, (this.admissions.get(outcome) ?? 0) + 1);
    }
    if (operation === 'storeResponse') this.responsesGivenUp += value as number;
    if (operation === 'refund' || operation === 'undeliver') this.repaid += tokens;
    if (route === undefined || operation === 'refund' || !isDebited(value)) return;
    this.charged.set(route, (this.charged.get(route) ?? 0) + tokens);
  }
}

function isDebited(value: unknown): boolean {
  return (value as { outcome?: unknown } | undefined)?.outcome === 'debited';
}

/** The mails of a portal. All are of one kind: sign-in codes. */
export class MailCalls extends Calls {
  /**
   * Mails refused because of their address. Not failures: anyone can request a mail to a bad
   * address.
   */
  addressesRefused = 0;

  constructor() {
    super();
    this.tally(SIGN_IN);
  }

  /** Counts the mails that a mailer sends. */
  watch(mailer: Mailer): Mailer {
    return {
      send: async (...mail) => {
        const send = () => mailer.send(...mail).catch(refusalOf);
        const refusal = await this.made(SIGN_IN, send, () => {});
        if (!refusal) return;
        this.addressesRefused++;
        throw refusal;
      },
      close: () => mailer.close(),
    };
  }
}

const SIGN_IN = 'sign-in';

function refusalOf(error: unknown): AddressRefused {
  if (error instanceof AddressRefused) return error;
  throw error;
}
