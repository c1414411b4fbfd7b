import type { AccountId, DelayedGrant } from '../accounts.ts';
import {
  type DueGrant,
  MAX_DUE,
  type SpacedState,
  type SpacedWindow,
  spacingMs,
  taken,
} from '../delayed-grants.ts';
import { removeEnded, type SqlConnection } from './sql-connection.ts';

/** Takes one of a spaced limit; its state is a row of `limits`, whose `used` has no meaning. */
export function takeSpaced(
  db: SqlConnection,
  subject: string,
  window: SpacedWindow,
  nowMs: number,
): number {
  const before = db.get<SpacedState>(
    'SELECT startMs AS lastAtMs, endsAtMs FROM limits WHERE subject = ?',
    subject,
  );
  const { lastAtMs, endsAtMs, availableAtMs } = taken(before, window, nowMs);
  db.insert('limits', { subject, startMs: lastAtMs, used: 0, endsAtMs }, 'REPLACE');
  removeEnded(db, 'limits', nowMs);
  return availableAtMs;
}

export function returnSpaced(db: SqlConnection, subject: string, window: SpacedWindow): void {
  const sql = 'UPDATE limits SET endsAtMs = endsAtMs - ? WHERE subject = ?';
  db.run(sql, spacingMs(window), subject);
}

export function delayGrant(
  db: SqlConnection,
  account: AccountId,
  { waitsFor, dueAtMs, orderMs, network }: DelayedGrant,
): void {
  if (delayedGrant(db, account)) return;
  db.insert('delayed_grants', { account, waitsFor, dueAtMs, orderMs, network });
  db.run(
    `INSERT INTO delay_queues VALUES (?, ?)
     ON CONFLICT DO UPDATE SET nextAtMs = min(nextAtMs, excluded.nextAtMs)`,
    waitsFor,
    dueAtMs,
  );
}

export function deferGrant(
  db: SqlConnection,
  account: AccountId,
  waitsFor: string,
  untilMs: number,
): void {
  const before = delayedGrant(db, account);
  if (!before) return;
  const sql = 'UPDATE delayed_grants SET waitsFor = ?, dueAtMs = ? WHERE account = ?';
  db.run(sql, waitsFor, untilMs, account);
  db.insert('delay_queues', { waitsFor, nextAtMs: untilMs }, 'REPLACE');
  endQueue(db, before.waitsFor);
}

export function delayedGrant(db: SqlConnection, account: AccountId): DelayedGrant | undefined {
  const sql = 'SELECT waitsFor, dueAtMs, orderMs, network FROM delayed_grants WHERE account = ?';
  return db.get<DelayedGrant>(sql, account);
}

export function queueTime(db: SqlConnection, waitsFor: string): number | undefined {
  const sql = 'SELECT nextAtMs FROM delay_queues WHERE waitsFor = ?';
  return db.get<{ nextAtMs: number }>(sql, waitsFor)?.nextAtMs;
}

export function dueGrants(db: SqlConnection, nowMs: number): DueGrant[] {
  return db.all<DueGrant>(
    `SELECT delayed_grants.* FROM delay_queues JOIN delayed_grants ON account = (
       SELECT account FROM delayed_grants WHERE waitsFor = delay_queues.waitsFor
       ORDER BY orderMs, account LIMIT 1
     )
     WHERE nextAtMs <= ? ORDER BY nextAtMs LIMIT ${MAX_DUE}`,
    nowMs,
  );
}

export function endDelay(db: SqlConnection, account: AccountId): void {
  const before = delayedGrant(db, account);
  db.run('DELETE FROM delayed_grants WHERE account = ?', account);
  if (before) endQueue(db, before.waitsFor);
}

/** Removes a queue if it is empty. */
function endQueue(db: SqlConnection, waitsFor: string): void {
  db.run(
    `DELETE FROM delay_queues WHERE waitsFor = ?
     AND NOT EXISTS (SELECT 1 FROM delayed_grants WHERE waitsFor = delay_queues.waitsFor)`,
    waitsFor,
  );
}
