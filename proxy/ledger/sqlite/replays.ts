import { randomUUID } from 'node:crypto';
import type { AccountId } from '../accounts.ts';
import { requireIdempotencyKey } from '../bookkeeping.ts';
import type { Charge } from '../metering.ts';
import {
  type IdempotentRequest,
  KEPT_BYTES_PER_ACCOUNT,
  KEPT_BYTES_PER_TOKEN,
  RECEIPT_LIFE_MS,
  RESPONSE_LIFE_MS,
  RESPONSE_OVERHEAD,
  type Receipt,
  type ReplayRecord,
  readStored,
  type StoredResponse,
  storedHeaders,
} from '../replays.ts';
import { account } from './account-state.ts';
import { chargeAgain, debit, refund } from './balances.ts';
import { type OnSqlite, removeEnded, type SqlConnection } from './sql-connection.ts';

interface ReplayRow {
  readonly fingerprint: string;
  readonly receipt: string;
  readonly endsAtMs: number;
}

/** A row of `receipts`: a debit, and the state of its response's deliveries. */
interface ReceiptRow
  extends Charge,
    Pick<ReplayRecord, 'deliveries' | 'delivered' | 'repaid'>,
    Receipt {
  readonly idempotencyKey: string;
}

export const debitOnce: OnSqlite<'debitOnce'> = (db, charge, request) => {
  requireIdempotencyKey(request);
  const earlier = replay(db, charge.account, request, charge.atMs);
  if (earlier) return earlier;
  const debited = debit(db, charge);
  if (debited.outcome !== 'debited') return debited;
  removeEndedReplays(db, charge.atMs);
  return { ...debited, receipt: record(db, charge, request) };
};

export function hasReplay(
  db: SqlConnection,
  account: AccountId,
  { key }: IdempotentRequest,
): boolean {
  return replayOf(db, account, key) !== undefined;
}

export const replay: OnSqlite<'replay'> = (db, account, { key, fingerprint }, nowMs) => {
  const kept = replayOf(db, account, key);
  if (!kept || kept.endsAtMs <= nowMs) return undefined;
  const paid = receiptOf(db, account, kept.receipt);
  // A receipt outlives its response, unless the clock was far ahead for a while.
  if (!paid) return undefined;
  if (kept.fingerprint !== fingerprint) return { outcome: 'conflict' };
  const { id, tokens, repaid, endsAtMs } = paid;
  const { outcome, balance } = chargeAgain(db, paid, repaid);
  if (outcome === 'insufficient') return { outcome, tokens: repaid, balance };
  db.run('UPDATE receipts SET deliveries = deliveries + 1, repaid = 0 WHERE id = ?', id);
  return {
    outcome: 'replayed',
    balance,
    tokens,
    charged: repaid,
    receipt: { account, endsAtMs, id },
    response: responseOf(db, id),
  };
};

export const storeResponse: OnSqlite<'storeResponse'> = (db, receipt, response) => {
  const paid = receiptOf(db, receipt.account, receipt.id);
  if (!paid || replayOf(db, paid.account, paid.idempotencyKey)?.receipt !== paid.id) return 0;
  const headers = storedHeaders(response);
  const bytes = headers.length + response.gzip.length;
  if (bytes > KEPT_BYTES_PER_TOKEN * paid.tokens) return 1;
  const size = { account: paid.account, bytes: bytes + RESPONSE_OVERHEAD };
  db.insert('responses', { receipt: paid.id, ...size, headers, gzip: response.gzip }, 'REPLACE');
  return removeLargest(db, paid.account);
};

/**
 * Removes the largest responses of an account that has more than `KEPT_BYTES_PER_ACCOUNT`; returns
 * how many.
 */
function removeLargest(db: SqlConnection, account: AccountId): number {
  let count = 0;
  const sum = 'SELECT sum(bytes) AS bytes FROM responses WHERE account = ?';
  let { bytes } = db.get<{ bytes: number }>(sum, account)!;
  while (bytes > KEPT_BYTES_PER_ACCOUNT) {
    const removed = db.get<{ bytes: number }>(
      `DELETE FROM responses WHERE receipt = (
         SELECT receipt FROM responses WHERE account = ? ORDER BY bytes DESC LIMIT 1
       ) RETURNING bytes`,
      account,
    )!;
    bytes -= removed.bytes;
    count++;
  }
  return count;
}

export const undeliver: OnSqlite<'undeliver'> = (db, receipt, undelivered) => {
  const paid = receiptOf(db, receipt.account, receipt.id);
  if (!paid || paid.deliveries === 0) return;
  const { id, tokens } = paid;
  const deliveries = paid.deliveries - 1;
  const delivered = Math.max(paid.delivered, tokens - (undelivered ?? tokens));
  const repaid = deliveries === 0 ? tokens - delivered : paid.repaid;
  if (deliveries === 0) refund(db, paid, repaid);
  if (deliveries > 0 || delivered > 0) {
    db.run(
      'UPDATE receipts SET deliveries = ?, delivered = ?, repaid = ? WHERE id = ?',
      deliveries,
      delivered,
      repaid,
      id,
    );
    return;
  }
  db.run('DELETE FROM receipts WHERE id = ?', id);
  db.run('DELETE FROM responses WHERE receipt = ?', id);
  // The response may have expired, and the key may have been reused.
  db.run(
    'DELETE FROM replays WHERE account = ? AND idempotencyKey = ? AND receipt = ?',
    paid.account,
    paid.idempotencyKey,
    id,
  );
};

export function replayKeys(db: SqlConnection): { account: AccountId; key: string }[] {
  return db.all('SELECT account, idempotencyKey AS key FROM replays');
}

/** Returns the record of a replay, unless it has been removed. */
export function replayRecord(
  db: SqlConnection,
  { account, key }: { readonly account: AccountId; readonly key: string },
): ReplayRecord | undefined {
  return db.snapshot(() => {
    const kept = replayOf(db, account, key);
    const paid = kept && receiptOf(db, account, kept.receipt);
    if (!paid) return undefined;
    const { id, endsAtMs, keyId, route, tokens, deliveries, delivered, repaid } = paid;
    const response = responseOf(db, id);
    return {
      key,
      fingerprint: kept.fingerprint,
      receipt: { account, endsAtMs, id },
      keyId,
      route,
      tokens,
      deliveries,
      delivered,
      repaid,
      response: response === 'damaged' ? null : response,
    };
  });
}

export const importReplay: OnSqlite<'importReplay'> = (db, taken) => {
  if (account(db, taken.receipt.account)) return false;
  const { response, ...debited } = taken;
  write(db, debited);
  if (response) storeResponse(db, taken.receipt, response);
  return true;
};

function record(
  db: SqlConnection,
  { account, keyId, route, tokens, atMs }: Charge,
  { key, fingerprint }: IdempotentRequest,
): Receipt {
  const receipt = { account, endsAtMs: atMs + RESPONSE_LIFE_MS, id: randomUUID() };
  const delivering = { deliveries: 1, delivered: 0, repaid: 0 };
  write(db, { key, fingerprint, receipt, keyId, route, tokens, ...delivering });
  return receipt;
}

/** Writes a debit in the place of an earlier one under the same key. */
function write(db: SqlConnection, debited: Omit<ReplayRecord, 'response'>): void {
  const { key: idempotencyKey, fingerprint, receipt, ...charged } = debited;
  const { account, endsAtMs, id } = receipt;
  const before = replayOf(db, account, idempotencyKey);
  if (before) db.run('DELETE FROM responses WHERE receipt = ?', before.receipt);
  const key = { account, idempotencyKey, endsAtMs };
  db.insert('replays', { ...key, fingerprint, receipt: id }, 'REPLACE');
  const atMs = endsAtMs - RESPONSE_LIFE_MS;
  db.insert('receipts', { ...key, ...charged, id, atMs }, 'REPLACE');
}

function replayOf(db: SqlConnection, account: AccountId, key: string): ReplayRow | undefined {
  return db.get(
    'SELECT fingerprint, receipt, endsAtMs FROM replays WHERE account = ? AND idempotencyKey = ?',
    account,
    key,
  );
}

function receiptOf(db: SqlConnection, account: AccountId, id: string): ReceiptRow | undefined {
  return db.get('SELECT * FROM receipts WHERE id = ? AND account = ?', id, account);
}

function responseOf(db: SqlConnection, receipt: string): StoredResponse | 'damaged' | null {
  const row = db.get<{ headers: string; gzip: Uint8Array }>(
    'SELECT headers, gzip FROM responses WHERE receipt = ?',
    receipt,
  );
  return row ? readStored(row.headers, row.gzip) : null;
}

/** Removes some expired responses and receipts, more than a debit adds. */
function removeEndedReplays(db: SqlConnection, nowMs: number): void {
  for (const { receipt } of removeEnded<ReplayRow>(db, 'replays', nowMs)) {
    db.run('DELETE FROM responses WHERE receipt = ?', receipt);
  }
  removeEnded(db, 'receipts', nowMs + RESPONSE_LIFE_MS - RECEIPT_LIFE_MS);
}
