import {
  type AccountId,
  ANSWER_LIFE_MS,
  type Charge,
  type Debit,
  type IdempotentRequest,
  type KeptAnswer,
  MAX_KEPT_BYTES,
  type Replay,
} from './ledger.ts';
import { debit, refund } from './lmdb-balances.ts';
import type { LedgerBatch } from './lmdb-batch.ts';
import type { Books } from './lmdb-books.ts';

/** Ended answers that keeping a new one removes: more than it adds, so that none pile up. */
const REMOVED_AT_ONCE = 4;
const MAX_KEY_LENGTH = 255;

/** Charges for an answer and keeps it, unless one is kept already. */
export function debitOnce(
  batch: LedgerBatch,
  charge: Charge,
  request: IdempotentRequest,
  answer: KeptAnswer,
): Debit | Replay {
  const { key } = request;
  if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
    throw new RangeError(`an Idempotency-Key has 1 to ${MAX_KEY_LENGTH} characters`);
  }
  const earlier = replay(batch, charge.account, request, charge.atMs);
  if (earlier) return earlier;

  const debited = debit(batch, charge);
  if (debited.outcome !== 'debited') return debited;
  try {
    removeEnded(batch.books, charge.atMs);
    keep(batch.books, charge, request, answer);
  } catch (error) {
    refund(batch, charge);
    throw error;
  }
  return debited;
}

/** The answer that is kept for a request, with one more delivery of it begun. */
export function replay(
  batch: LedgerBatch,
  account: AccountId,
  { key, fingerprint }: IdempotentRequest,
  nowMs: number,
): Replay | undefined {
  const { books } = batch;
  const record = books.answers.get([account, key]);
  if (!record || record.endsAtMs <= nowMs) return undefined;
  if (record.fingerprint !== fingerprint) return { outcome: 'conflict' };
  const { balance } = batch.account(account);
  books.answers.put([account, key], { ...record, deliveries: record.deliveries + 1 });
  const { status, headers, charge } = record;
  const gzip = books.answerBodies.get([account, key]) ?? null;
  return { outcome: 'replayed', balance, tokens: charge.tokens, answer: { status, headers, gzip } };
}

/** Takes back a delivery; with the last one, the charge and the answer. */
export function undeliver(batch: LedgerBatch, account: AccountId, key: string): void {
  const { books } = batch;
  const record = books.answers.get([account, key]);
  if (!record) return;
  if (record.deliveries > 1) {
    books.answers.put([account, key], { ...record, deliveries: record.deliveries - 1 });
    return;
  }
  refund(batch, record.charge);
  books.answerEnds.remove([record.endsAtMs, account, key]);
  remove(books, [account, key]);
}

function keep(
  books: Books,
  charge: Charge,
  { key, fingerprint }: IdempotentRequest,
  { status, headers, gzip }: KeptAnswer,
): void {
  const at = [charge.account, key];
  const endsAtMs = charge.atMs + ANSWER_LIFE_MS;
  books.answerEnds.put([endsAtMs, ...at], true);
  if (gzip && gzip.length <= MAX_KEPT_BYTES) books.answerBodies.put(at, gzip);
  // One that has ended may still have been there.
  else books.answerBodies.remove(at);
  books.answers.put(at, { fingerprint, charge, endsAtMs, deliveries: 1, status, headers });
}

function removeEnded(books: Books, nowMs: number): void {
  const ended = books.answerEnds.getKeys({ end: [nowMs], limit: REMOVED_AT_ONCE });
  for (const end of Array.from(ended)) {
    const [endsAtMs, ...at] = end as [number, string, string];
    books.answerEnds.remove(end);
    // The same key may have been used again since.
    if (books.answers.get(at)?.endsAtMs === endsAtMs) remove(books, at);
  }
}

function remove(books: Books, at: string[]): void {
  books.answerBodies.remove(at);
  books.answers.remove(at);
}
