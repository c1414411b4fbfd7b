import type { AccountId } from '../accounts.ts';
import { type Reservations, reserved } from '../delayed-grants.ts';
import { removeEnded, type SqlConnection } from './sql-connection.ts';

/** Makes a reservation; its state is a row of `limits`, whose `used` has no meaning. */
export function reserve(
  db: SqlConnection,
  subject: string,
  window: { readonly limit: number; readonly windowSeconds: number },
  nowMs: number,
): number {
  const before = db.get<Reservations>(
    'SELECT startMs AS lastAtMs, endsAtMs FROM limits WHERE subject = ?',
    subject,
  );
  const { lastAtMs, endsAtMs, availableAtMs } = reserved(before, window, nowMs);
  db.run('INSERT OR REPLACE INTO limits VALUES (?, ?, 0, ?)', subject, lastAtMs, endsAtMs);
  removeEnded(db, 'limits', nowMs);
  return availableAtMs;
}

export function delayGrant(db: SqlConnection, account: AccountId, dueAtMs: number): void {
  const sql = 'INSERT INTO delayed_grants VALUES (?, ?) ON CONFLICT DO NOTHING';
  db.run(sql, account, dueAtMs);
}

export function delayedUntil(db: SqlConnection, account: AccountId): number | undefined {
  const sql = 'SELECT dueAtMs FROM delayed_grants WHERE account = ?';
  return db.get<{ dueAtMs: number }>(sql, account)?.dueAtMs;
}

export function dueGrants(db: SqlConnection, nowMs: number, limit: number): AccountId[] {
  const sql = 'SELECT account FROM delayed_grants WHERE dueAtMs <= ? ORDER BY dueAtMs LIMIT ?';
  return db.all<{ account: AccountId }>(sql, nowMs, limit).map(({ account }) => account);
}

export function endDelay(db: SqlConnection, account: AccountId): void {
  db.run('DELETE FROM delayed_grants WHERE account = ?', account);
}
