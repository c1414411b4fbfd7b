import { crc32 } from 'node:zlib';
import type { Bytes } from '../../shards/units.ts';
import type { AccountId } from './accounts.ts';
import type { Charge } from './metering.ts';

/** Responses that are replayed without being charged again. Failures are `LedgerUnavailable`. */
export interface Replays {
  /**
   * Debits once per `Idempotency-Key`: the first request is charged and its response kept; a
   * repetition of the same request within `RESPONSE_LIFE_MS` gets that response free. Only one of
   * several concurrent requests is first. Throws a `RangeError` for an empty key, or one over
   * `MAX_IDEMPOTENCY_KEY`.
   */
  debitOnce(charge: Charge, request: IdempotentRequest): Promise<DebitOnce | Replay>;

  /**
   * Stores the response that a debit paid for, outside its transaction, since a body may be
   * megabytes long. Stores none whose debit was undone, and none over `KEPT_BYTES_PER_TOKEN`. Where
   * an account's responses exceed `KEPT_BYTES_PER_ACCOUNT`, the largest are removed. Returns how
   * many responses these limits cost.
   */
  storeResponse(receipt: Receipt, response: StoredResponse): Promise<number>;

  /**
   * Returns the stored response to an earlier request with this `Idempotency-Key`, if any; call it
   * before computing a response. Charges only the share that was refunded.
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
   * dropped. Any other is kept, and its next replay charges the refunded share again, so it is paid
   * for exactly once.
   *
   * The receipt names one debit, not its `Idempotency-Key`: a later debit under the same key is
   * never touched. A debit whose response has expired meanwhile is still undone. Receipts are
   * removed no earlier than `RECEIPT_LIFE_MS`; then the debit stands. An unreported delivery, whose
   * process died, counts as successful; the response can be replayed free until it expires.
   */
  undeliver(receipt: Receipt, undelivered?: number): Promise<void>;
}

/** How long the response to an `Idempotency-Key` is kept. */
export const RESPONSE_LIFE_MS = 24 * 60 * 60 * 1000;
/** Minimum period after a debit in which its response can be reported as undelivered. */
export const RECEIPT_LIFE_MS = 2 * RESPONSE_LIFE_MS;
export const MAX_IDEMPOTENCY_KEY = 255;
/**
 * Maximum size of a stored response per token charged: headers and compressed body. A larger
 * response is not stored, only its charge, or a token would buy many kilobytes of the ledger for a
 * day.
 */
export const KEPT_BYTES_PER_TOKEN: Bytes = 1024;
/** Maximum total size of an account's stored responses, each with `RESPONSE_OVERHEAD`. */
export const KEPT_BYTES_PER_ACCOUNT: Bytes = 8 * 2 ** 20;
/** Bytes that a ledger needs for a stored response besides its headers and body. */
export const RESPONSE_OVERHEAD: Bytes = 512;

/** Identifies one debit of `debitOnce` to the deliverer of its response. */
export interface Receipt {
  readonly account: AccountId;
  /** Expiry of the response that the debit paid for. */
  readonly endsAtMs: number;
  readonly id: string;
}

export type DebitOnce =
  | { readonly outcome: 'debited'; readonly balance: number; readonly receipt: Receipt }
  | { readonly outcome: 'insufficient'; readonly balance: number };

/** A request that may be resent without being charged again. */
export interface IdempotentRequest {
  /** The `Idempotency-Key`, scoped to the account. */
  readonly key: string;
  /** Hash of the request, to detect another request under the same key. */
  readonly fingerprint: string;
}

export interface StoredResponse {
  readonly headers: Readonly<Record<string, string>>;
  /** The body, compressed. */
  readonly gzip: Uint8Array;
}

/** Formats the headers of a response for storage, with a checksum of headers and body. */
export function storedHeaders({ headers, gzip }: StoredResponse): string {
  const json = JSON.stringify(headers);
  return `${crc32(json, crc32(gzip))} ${json}`;
}

/** Reads a response stored with `storedHeaders`; `damaged` if a bit of it has changed since. */
export function readStored(text: string, gzip: Uint8Array): StoredResponse | 'damaged' {
  const [, sum, json] = /^(\d+) (.*)$/.exec(text) ?? [];
  if (json === undefined || Number(sum) !== crc32(json, crc32(gzip))) return 'damaged';
  return { headers: JSON.parse(json), gzip };
}

/** A charge and its response, as transferred between ledgers. */
export interface ReplayRecord extends IdempotentRequest {
  /** The debit, made `RESPONSE_LIFE_MS` before the response expires. */
  readonly receipt: Receipt;
  readonly keyId: string;
  readonly route: string;
  readonly tokens: number;
  /** Deliveries that have started and are not known to have failed. */
  readonly deliveries: number;
  /** Tokens' worth delivered by the best of the failed deliveries. */
  readonly delivered: number;
  /** Refunded tokens, which the next delivery is charged. */
  readonly repaid: number;
  readonly response: StoredResponse | null;
}

export type Replay =
  | {
      readonly outcome: 'replayed';
      /** Has to be recomputed if damaged, or `null`: not stored (`storeResponse`), or not yet. */
      readonly response: StoredResponse | 'damaged' | null;
      readonly tokens: number;
      readonly balance: number;
      /** Receipt of the debit that paid for it. */
      readonly receipt: Receipt;
      /** Charge of this replay: the share refunded earlier. Usually 0. */
      readonly charged: number;
    }
  /** The balance no longer covers the refunded share. */
  | { readonly outcome: 'insufficient'; readonly tokens: number; readonly balance: number }
  /** The key was used for another request. */
  | { readonly outcome: 'conflict' };
