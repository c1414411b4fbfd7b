import { randomUUID } from 'node:crypto';
import type { AccountId } from '../accounts.ts';
import { requireIdempotencyKey } from '../bookkeeping.ts';
import type { Charge } from '../metering.ts';
import {
  ANSWER_LIFE_MS,
  type DebitOnce,
  type IdempotentRequest,
  type KeptAnswer,
  MAX_KEPT_BYTES,
  RECEIPT_LIFE_MS,
  type Receipt,
  type Replay,
} from '../replays.ts';
import { chargeAgain, debit, refund } from './balances.ts';
import type { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';

/** Ended answers and receipts that a new one removes: more than it adds, so that none pile up. */
const REMOVED_AT_ONCE = 4;

/** Charges for an answer, unless one was charged for already. */
export function debitOnce(
  batch: LedgerBatch,
  charge: Charge,
  request: IdempotentRequest,
): DebitOnce | Replay {
  requireIdempotencyKey(request);
  const earlier = replay(batch, charge.account, request, charge.atMs);
  if (earlier) return earlier;

  const debited = debit(batch, charge);
  if (debited.outcome !== 'debited') return debited;
  try {
    removeEnded(batch.books, charge.atMs);
    return { ...debited, receipt: note(batch.books, charge, request) };
  } catch (error) {
    refund(batch, charge);
    throw error;
  }
}

/** The answer that is kept for a request, with one more delivery of it begun. */
export function replay(
  batch: LedgerBatch,
  account: AccountId,
  { key, fingerprint }: IdempotentRequest,
  nowMs: number,
): Replay | undefined {
  const { books } = batch;
  const record = books.replays.get([account, key]);
  if (!record || record.receipt.endsAtMs <= nowMs) return undefined;
  const { receipt } = record;
  const paid = books.receipts.get(receiptKey(receipt));
  // A receipt outlives its answer, unless the clock was far ahead for a while.
  if (!paid) return undefined;
  if (record.fingerprint !== fingerprint) return { outcome: 'conflict' };
  const { repaid } = paid;
  const { outcome, balance } = chargeAgain(batch, paid.charge, repaid);
  if (outcome === 'insufficient') return { outcome, tokens: repaid, balance };
  books.receipts.put(receiptKey(receipt), { ...paid, deliveries: paid.deliveries + 1, repaid: 0 });
  const answer = books.answers.get([account, key]) ?? null;
  const { tokens } = paid.charge;
  return { outcome: 'replayed', balance, tokens, charged: repaid, receipt, answer };
}

/** Keeps the answer of a debit that still stands. */
export function keepAnswer(batch: LedgerBatch, receipt: Receipt, answer: KeptAnswer): void {
  const { books } = batch;
  const paid = books.receipts.get(receiptKey(receipt));
  if (!paid || answer.gzip.length > MAX_KEPT_BYTES) return;
  const at = [receipt.account, paid.idempotencyKey];
  if (books.replays.get(at)?.receipt.id === receipt.id) books.answers.put(at, answer);
}

/** Takes back a delivery; with the last one, what none of them delivered of the charge. */
export function undeliver(batch: LedgerBatch, receipt: Receipt, undelivered?: number): void {
  const { books } = batch;
  const stored = receiptKey(receipt);
  const paid = books.receipts.get(stored);
  if (!paid || paid.deliveries === 0) return;
  const { tokens } = paid.charge;
  const deliveries = paid.deliveries - 1;
  const delivered = Math.max(paid.delivered, tokens - (undelivered ?? tokens));
  if (deliveries > 0) {
    books.receipts.put(stored, { ...paid, deliveries, delivered });
    return;
  }
  const repaid = tokens - delivered;
  refund(batch, paid.charge, repaid);
  if (delivered > 0) {
    books.receipts.put(stored, { ...paid, deliveries, delivered, repaid });
    return;
  }
  books.receipts.remove(stored);
  const at = [receipt.account, paid.idempotencyKey];
  // Else it has ended, and the key may have been used again.
  if (books.replays.get(at)?.receipt.id === receipt.id) {
    books.replayEnds.remove([receipt.endsAtMs, ...at]);
    forget(books, at);
  }
}

function receiptKey({ endsAtMs, account, id }: Receipt): [number, string, string] {
  return [endsAtMs, account, id];
}

/** Notes a debit, for replays and for what is not delivered. */
function note(books: Books, charge: Charge, { key, fingerprint }: IdempotentRequest): Receipt {
  const { account } = charge;
  const at = [account, key];
  const endsAtMs = charge.atMs + ANSWER_LIFE_MS;
  const receipt = { account, endsAtMs, id: randomUUID() };
  // The answer of one that has ended may still be there.
  books.answers.remove(at);
  books.replayEnds.put([endsAtMs, ...at], true);
  books.replays.put(at, { fingerprint, receipt });
  books.receipts.put(receiptKey(receipt), {
    charge,
    idempotencyKey: key,
    deliveries: 1,
    delivered: 0,
    repaid: 0,
  });
  return receipt;
}

function removeEnded(books: Books, nowMs: number): void {
  const ended = books.replayEnds.getKeys({ end: [nowMs], limit: REMOVED_AT_ONCE });
  for (const end of Array.from(ended)) {
    const [endsAtMs, ...at] = end as [number, string, string];
    books.replayEnds.remove(end);
    // The same key may have been used again since.
    if (books.replays.get(at)?.receipt.endsAtMs === endsAtMs) forget(books, at);
  }
  const forgotten = nowMs + ANSWER_LIFE_MS - RECEIPT_LIFE_MS;
  const old = books.receipts.getKeys({ end: [forgotten], limit: REMOVED_AT_ONCE });
  for (const receipt of Array.from(old)) books.receipts.remove(receipt);
}

function forget(books: Books, at: string[]): void {
  books.answers.remove(at);
  books.replays.remove(at);
}
