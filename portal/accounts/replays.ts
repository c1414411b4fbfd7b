import type { AccountId } from './accounts.ts';
import type { Charge } from './metering.ts';

/** Answers that are given again without being charged again. Failures are `LedgerUnavailable`. */
export interface Replays {
  /**
   * `debit`, once per `Idempotency-Key`: the first request is charged and its response kept; a
   * repetition of the same request within `ANSWER_LIFE_MS` gets that response free. Of racing
   * requests one is first. An empty key, or one over `MAX_IDEMPOTENCY_KEY`, is a `RangeError`.
   */
  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay>;

  /**
   * Keeps the response that a debit paid for, outside its transaction, since a body may have
   * megabytes. A body over `MAX_KEPT_BYTES` is not kept, nor one whose debit was undone.
   */
  storeResponse(receipt: Receipt, answer: StoredResponse): Promise<void>;

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
   * Reports, once per delivery, that a response of `debitOnce` or `replay` was not delivered, or
   * how many `undelivered` tokens of it were not. When all deliveries of a debit have failed, the
   * share that none delivered is refunded once. A response of which nothing was delivered is
   * forgotten; any other is kept, and its next replay charges the refunded share again: it is paid
   * for exactly once.
   *
   * The receipt names one debit, not its `Idempotency-Key`: a later debit under the same key is
   * never touched. A debit whose response has expired meanwhile is still undone. Receipts are
   * removed no earlier than `RECEIPT_LIFE_MS`; then the debit stands. An unreported delivery, whose
   * process died, counts as made; the response can be replayed free until it expires.
   */
  undeliver(receipt: Receipt, undelivered?: number): Promise<void>;
}

/** How long an answer to an `Idempotency-Key` is kept. */
export const RESPONSE_LIFE_MS = 24 * 60 * 60 * 1000;
/** How long after a debit it can be said, at least, that its answer was not delivered. */
export const RECEIPT_LIFE_MS = 2 * RESPONSE_LIFE_MS;
/** Characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY = 255;
/** A larger body is not kept: its charge is. */
export const MAX_KEPT_BYTES = 8 * 2 ** 20;

/** Identifies one debit of `debitOnce` to the deliverer of its response. */
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
export interface StoredResponse {
  readonly headers: Readonly<Record<string, string>>;
  /** The body, compressed. */
  readonly gzip: Uint8Array;
}

export type Replay =
  | {
      readonly outcome: 'replayed';
      /** `null`: it was too large to keep, or is not kept yet, and has to be made again. */
      readonly response: StoredResponse | null;
      /** Original price. */
      readonly tokens: number;
      readonly balance: number;
      /** Receipt of the debit that paid for it. */
      readonly receipt: Receipt;
      /** Charge of this replay: the share refunded earlier. Usually 0. */
      readonly charged: number;
    }
  /** What had been repaid of it can no longer be paid. */
  | { readonly outcome: 'insufficient'; readonly tokens: number; readonly balance: number }
  /** The key was used for another request. */
  | { readonly outcome: 'conflict' };
