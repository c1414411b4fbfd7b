import type { AccountId, DelayedGrant } from '../accounts.ts';
import {
  type DueGrant,
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
  db.run('INSERT OR REPLACE INTO limits VALUES (?, ?, 0, ?)', subject, lastAtMs, endsAtMs);
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
  { dueAtMs, orderMs, network, domain }: DelayedGrant,
): void {
  const sql = 'INSERT INTO delayed_grants VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
  db.run(sql, account, dueAtMs, orderMs, network, domain);
}

export function delayedGrant(db: SqlConnection, account: AccountId): DelayedGrant | undefined {
  const sql = 'SELECT dueAtMs, orderMs, network, domain FROM delayed_grants WHERE account = ?';
  return db.get<DelayedGrant>(sql, account);
}

export function dueGrants(db: SqlConnection, nowMs: number): DueGrant[] {
  const sql = 'SELECT * FROM delayed_grants WHERE dueAtMs <= ? ORDER BY orderMs, account';
  return db.all<DueGrant>(sql, nowMs);
}

export function endDelay(db: SqlConnection, account: AccountId): void {
  db.run('DELETE FROM delayed_grants WHERE account = ?', account);
}
