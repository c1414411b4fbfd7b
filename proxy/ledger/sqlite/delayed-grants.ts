import type { DelayedGrant } from '../accounts.ts';
import { type DueGrant, MAX_DUE, type SpacedState, spacingMs, taken } from '../delayed-grants.ts';
import { type OnSqlite, removeEnded, type SqlConnection } from './sql-connection.ts';

/** Takes one of a spaced limit; its state is a row of `limits`, whose `used` has no meaning. */
export const takeSpaced: OnSqlite<'takeSpaced'> = (db, subject, window, nowMs) => {
  const before = db.get<SpacedState>(
    'SELECT startMs AS lastAtMs, endsAtMs FROM limits WHERE subject = ?',
    subject,
  );
  const { lastAtMs, endsAtMs, availableAtMs } = taken(before, window, nowMs);
  db.insert('limits', { subject, startMs: lastAtMs, used: 0, endsAtMs }, 'REPLACE');
  removeEnded(db, 'limits', nowMs);
  return availableAtMs;
};

export const returnSpaced: OnSqlite<'returnSpaced'> = (db, subject, window) => {
  const sql = 'UPDATE limits SET endsAtMs = endsAtMs - ? WHERE subject = ?';
  db.run(sql, spacingMs(window), subject);
};

export const delayGrant: OnSqlite<'delayGrant'> = (
  db,
  account,
  { waitsFor, dueAtMs, orderMs, network },
) => {
  if (delayedGrant(db, account)) return;
  db.insert('delayed_grants', { account, waitsFor, dueAtMs, orderMs, network });
  db.run(
    `INSERT INTO delay_queues VALUES (?, ?)
     ON CONFLICT DO UPDATE SET nextAtMs = min(nextAtMs, excluded.nextAtMs)`,
    waitsFor,
    dueAtMs,
  );
};

export const deferGrant: OnSqlite<'deferGrant'> = (db, account, waitsFor, untilMs) => {
  const before = delayedGrant(db, account);
  if (!before) return;
  const sql = 'UPDATE delayed_grants SET waitsFor = ?, dueAtMs = ? WHERE account = ?';
  db.run(sql, waitsFor, untilMs, account);
  db.insert('delay_queues', { waitsFor, nextAtMs: untilMs }, 'REPLACE');
  endQueue(db, before.waitsFor);
};

export const delayedGrant: OnSqlite<'delayedGrant'> = (db, account) => {
  const sql = 'SELECT waitsFor, dueAtMs, orderMs, network FROM delayed_grants WHERE account = ?';
  return db.get<DelayedGrant>(sql, account);
};

export const queueTime: OnSqlite<'queueTime'> = (db, waitsFor) => {
  const sql = 'SELECT nextAtMs FROM delay_queues WHERE waitsFor = ?';
  return db.get<{ nextAtMs: number }>(sql, waitsFor)?.nextAtMs;
};

export const dueGrants: OnSqlite<'dueGrants'> = (db, nowMs) =>
  db.all<DueGrant>(
    `SELECT delayed_grants.* FROM delay_queues JOIN delayed_grants ON account = (
       SELECT account FROM delayed_grants WHERE waitsFor = delay_queues.waitsFor
       ORDER BY orderMs, account LIMIT 1
     )
     WHERE nextAtMs <= ? ORDER BY nextAtMs LIMIT ${MAX_DUE}`,
    nowMs,
  );

export const endDelay: OnSqlite<'endDelay'> = (db, account) => {
  const before = delayedGrant(db, account);
  db.run('DELETE FROM delayed_grants WHERE account = ?', account);
  if (before) endQueue(db, before.waitsFor);
};

/** Removes a queue if it is empty. */
function endQueue(db: SqlConnection, waitsFor: string): void {
  db.run(
    `DELETE FROM delay_queues WHERE waitsFor = ?
     AND NOT EXISTS (SELECT 1 FROM delayed_grants WHERE waitsFor = delay_queues.waitsFor)`,
    waitsFor,
  );
}
