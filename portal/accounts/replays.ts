import type { AccountId } from './accounts.ts';
import type { Charge } from './metering.ts';

/** Answers that are given again without being charged again. Failures are `LedgerUnavailable`. */
export interface Replays {
  /**
   * `debit`, once for an `Idempotency-Key`: who comes first is charged, and has the answer kept;
   * who comes again with the same request within `ANSWER_LIFE_MS` gets that answer and is not
   * charged. Of racing requests one is first. A key that is empty or over `MAX_IDEMPOTENCY_KEY` is
   * a `RangeError`.
   */
  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay>;

  /**
   * Keeps the answer that a debit paid for, beside its transaction: a body may be of megabytes. One
   * over `MAX_KEPT_BYTES` is not kept, nor one whose debit has been undone.
   */
  keepAnswer(receipt: Receipt, answer: KeptAnswer): Promise<void>;

  /**
   * The answer that an earlier request with this `Idempotency-Key` was given, if one is kept: to ask
   * before one is made. Charges only what was repaid of it.
   */
  replay(
    account: AccountId,
    request: IdempotentRequest,
    nowMs: number,
  ): Promise<Replay | undefined>;

  /**
   * Says, once for each delivery, that an answer of `debitOnce` or `replay` was not delivered, or
   * not so many `undelivered` tokens of it. When all deliveries of a debit have failed, what none of
   * them delivered is repaid, once. An answer of which nothing was delivered is then forgotten;
   * another is still kept, and the next replay of it charges again what was repaid: so it is paid
   * for once, and nothing of it can be had for nothing.
   *
   * The receipt names one debit, not its `Idempotency-Key`: a debit under the same key, made when
   * the first had ended or had been undone, is never touched. A debit whose answer has ended in
   * the meantime is undone all the same. Receipts are removed, but not before they are
   * `RECEIPT_LIFE_MS` old: then the debit stays. A delivery of which nothing is heard, because its
   * process died, counts as made: until the answer ends it can be had again for nothing.
   */
  undeliver(receipt: Receipt, undelivered?: number): Promise<void>;
}

/** How long an answer to an `Idempotency-Key` is kept. */
export const ANSWER_LIFE_MS = 24 * 60 * 60 * 1000;
/** How long after a debit it can be said, at least, that its answer was not delivered. */
export const RECEIPT_LIFE_MS = 2 * ANSWER_LIFE_MS;
/** Characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY = 255;
/** A larger body is not kept: its charge is. */
export const MAX_KEPT_BYTES = 8 * 2 ** 20;

/** Names one debit of `debitOnce`, for whoever delivers its answer. */
export interface Receipt {
  readonly account: AccountId;
  /** When the answer that it paid for ends. */
  readonly endsAtMs: number;
  readonly id: string;
}

export type DebitOnce =
  | { readonly outcome: 'debited'; readonly balance: number; readonly receipt: Receipt }
  | { readonly outcome: 'insufficient'; readonly balance: number };

/** A request that may be sent again without being charged again. */
export interface IdempotentRequest {
  /** The `Idempotency-Key`; each account has its own. */
  readonly key: string;
  /** A hash of what was asked for: another request under the same key has another. */
  readonly fingerprint: string;
}

/** An answer as it is kept to be given again. */
export interface KeptAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** The body, compressed. */
  readonly gzip: Uint8Array;
}

export type Replay =
  | {
      readonly outcome: 'replayed';
      /** `null`: it was too large to keep, or is not kept yet, and has to be made again. */
      readonly answer: KeptAnswer | null;
      /** What it cost when it was made. */
      readonly tokens: number;
      readonly balance: number;
      /** Of the debit that paid for it. */
      readonly receipt: Receipt;
      /** What this replay was charged: what an undelivered part had been repaid. Mostly 0. */
      readonly charged: number;
    }
  /** What had been repaid of it can no longer be paid. */
  | { readonly outcome: 'insufficient'; readonly tokens: number; readonly balance: number }
  /** The key was used for another request. */
  | { readonly outcome: 'conflict' };
