import { randomUUID } from 'node:crypto';
import type { AccountId } from '../accounts.ts';
import { requireIdempotencyKey } from '../bookkeeping.ts';
import type { Charge } from '../metering.ts';
import {
  type DebitOnce,
  type IdempotentRequest,
  MAX_KEPT_BYTES,
  RECEIPT_LIFE_MS,
  RESPONSE_LIFE_MS,
  type Receipt,
  type Replay,
  type StoredResponse,
} from '../replays.ts';
import { chargeAgain, debit, refund } from './balances.ts';
import { type Books, REMOVED_AT_ONCE } from './books.ts';

/** A row of `replays`. */
interface ReplayRow {
  readonly fingerprint: string;
  readonly receipt: string;
  readonly endsAtMs: number;
}

/** A row of `receipts`: a debit, and what became of the deliveries of its response. */
interface ReceiptRow extends Charge {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly endsAtMs: number;
  /** Deliveries that have begun and are not known to have failed. */
  readonly deliveries: number;
  /** Tokens' worth that the best of the failed deliveries delivered. */
  readonly delivered: number;
  /** Tokens that were given back, and that the next delivery is charged. */
  readonly repaid: number;
}

/** Charges for a response, unless one was charged for already. */
export function debitOnce(
  books: Books,
  charge: Charge,
  request: IdempotentRequest,
): DebitOnce | Replay {
  requireIdempotencyKey(request);
  const earlier = replay(books, charge.account, request, charge.atMs);
  if (earlier) return earlier;
  const debited = debit(books, charge);
  if (debited.outcome !== 'debited') return debited;
  removeEndedReplays(books, charge.atMs);
  return { ...debited, receipt: record(books, charge, request) };
}

/** Whether an account has used an `Idempotency-Key` lately. */
export function hasReplay(books: Books, account: AccountId, { key }: IdempotentRequest): boolean {
  return replayOf(books, account, key) !== undefined;
}

/** The response that is kept for a request, with one more delivery of it begun. */
export function replay(
  books: Books,
  account: AccountId,
  { key, fingerprint }: IdempotentRequest,
  nowMs: number,
): Replay | undefined {
  const kept = replayOf(books, account, key);
  if (!kept || kept.endsAtMs <= nowMs) return undefined;
  const paid = receiptOf(books, account, kept.receipt);
  // A receipt outlives its response, unless the clock was far ahead for a while.
  if (!paid) return undefined;
  if (kept.fingerprint !== fingerprint) return { outcome: 'conflict' };
  const { id, tokens, repaid, endsAtMs } = paid;
  const { outcome, balance } = chargeAgain(books, paid, repaid);
  if (outcome === 'insufficient') return { outcome, tokens: repaid, balance };
  books.run('UPDATE receipts SET deliveries = deliveries + 1, repaid = 0 WHERE id = ?', id);
  return {
    outcome: 'replayed',
    balance,
    tokens,
    charged: repaid,
    receipt: { account, endsAtMs, id },
    response: responseOf(books, id),
  };
}

/** Keeps the response of a debit that still stands. */
export function storeResponse(books: Books, receipt: Receipt, response: StoredResponse): void {
  if (response.gzip.length > MAX_KEPT_BYTES) return;
  const paid = receiptOf(books, receipt.account, receipt.id);
  if (!paid || replayOf(books, paid.account, paid.idempotencyKey)?.receipt !== paid.id) return;
  books.run(
    'INSERT OR REPLACE INTO responses VALUES (?, ?, ?)',
    paid.id,
    JSON.stringify(response.headers),
    response.gzip,
  );
}

/** Takes back a delivery; with the last one, what none of them delivered of the charge. */
export function undeliver(books: Books, receipt: Receipt, undelivered?: number): void {
  const paid = receiptOf(books, receipt.account, receipt.id);
  if (!paid || paid.deliveries === 0) return;
  const { id, tokens } = paid;
  const deliveries = paid.deliveries - 1;
  const delivered = Math.max(paid.delivered, tokens - (undelivered ?? tokens));
  const repaid = deliveries === 0 ? tokens - delivered : 0;
  if (deliveries === 0) refund(books, paid, repaid);
  if (deliveries > 0 || delivered > 0) {
    books.run(
      'UPDATE receipts SET deliveries = ?, delivered = ?, repaid = ? WHERE id = ?',
      deliveries,
      delivered,
      deliveries === 0 ? repaid : paid.repaid,
      id,
    );
    return;
  }
  books.run('DELETE FROM receipts WHERE id = ?', id);
  books.run('DELETE FROM responses WHERE receipt = ?', id);
  // The response may have expired, and the key may have been used again.
  books.run(
    'DELETE FROM replays WHERE account = ? AND idempotencyKey = ? AND receipt = ?',
    paid.account,
    paid.idempotencyKey,
    id,
  );
}

/** Records a debit, for replays and for what is not delivered. */
function record(books: Books, charge: Charge, { key, fingerprint }: IdempotentRequest): Receipt {
  const { account, keyId, route, tokens, atMs } = charge;
  const endsAtMs = atMs + RESPONSE_LIFE_MS;
  const id = randomUUID();
  const before = replayOf(books, account, key);
  if (before) books.run('DELETE FROM responses WHERE receipt = ?', before.receipt);
  const sql = 'INSERT OR REPLACE INTO replays VALUES (?, ?, ?, ?, ?)';
  books.run(sql, account, key, fingerprint, id, endsAtMs);
  books.run(
    'INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0, 0)',
    id,
    account,
    key,
    keyId,
    route,
    tokens,
    atMs,
    endsAtMs,
  );
  return { account, endsAtMs, id };
}

function replayOf(books: Books, account: AccountId, key: string): ReplayRow | undefined {
  return books.get(
    'SELECT fingerprint, receipt, endsAtMs FROM replays WHERE account = ? AND idempotencyKey = ?',
    account,
    key,
  );
}

function receiptOf(books: Books, account: AccountId, id: string): ReceiptRow | undefined {
  return books.get('SELECT * FROM receipts WHERE id = ? AND account = ?', id, account);
}

function responseOf(books: Books, receipt: string): StoredResponse | null {
  const row = books.get<{ headers: string; gzip: Uint8Array }>(
    'SELECT headers, gzip FROM responses WHERE receipt = ?',
    receipt,
  );
  return row ? { headers: JSON.parse(row.headers), gzip: row.gzip } : null;
}

/** Removes some of the responses and receipts that have ended: more than are added. */
function removeEndedReplays(books: Books, nowMs: number): void {
  const ended = books.all<{ receipt: string }>(
    `DELETE FROM replays WHERE (account, idempotencyKey) IN (
       SELECT account, idempotencyKey FROM replays WHERE endsAtMs < ? ORDER BY endsAtMs LIMIT ?
     ) RETURNING receipt`,
    nowMs,
    REMOVED_AT_ONCE,
  );
  for (const { receipt } of ended) books.run('DELETE FROM responses WHERE receipt = ?', receipt);
  books.run(
    `DELETE FROM receipts WHERE id IN (
       SELECT id FROM receipts WHERE endsAtMs < ? ORDER BY endsAtMs LIMIT ?
     )`,
    nowMs + RESPONSE_LIFE_MS - RECEIPT_LIFE_MS,
    REMOVED_AT_ONCE,
  );
}
