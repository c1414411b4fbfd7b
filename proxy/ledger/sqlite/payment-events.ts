import { EVENT_LIFE_MS } from '../payment-events.ts';
import { type OnSqlite, removeEnded, type SqlConnection } from './sql-connection.ts';

export const storeEvent: OnSqlite<'storeEvent'> = (db, event) => {
  const { id, type, object, receivedAtMs } = event;
  const sql = 'INSERT INTO payment_events VALUES (?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING';
  return db.run(sql, id, type, object, receivedAtMs) > 0;
};

/** Events not yet processed, oldest first. Processed ones have a time when they are removed. */
export const openEvents: OnSqlite<'openEvents'> = (db, limit, offset = 0) =>
  db.all(
    `SELECT id, type, object, receivedAtMs FROM payment_events WHERE endsAtMs IS NULL
     ORDER BY receivedAtMs, id LIMIT ? OFFSET ?`,
    limit,
    offset,
  );

export function closedEvents(db: SqlConnection): string[] {
  const sql = 'SELECT id FROM payment_events WHERE endsAtMs IS NOT NULL';
  return db.all<{ id: string }>(sql).map(({ id }) => id);
}

export const importClosedEvents: OnSqlite<'importClosedEvents'> = (db, ids, nowMs) => {
  const sql = "INSERT INTO payment_events VALUES (?, '', '', ?, ?) ON CONFLICT DO NOTHING";
  for (const id of ids) db.run(sql, id, nowMs, nowMs + EVENT_LIFE_MS);
};

export const closeEvent: OnSqlite<'closeEvent'> = (db, id, nowMs) => {
  db.run('UPDATE payment_events SET endsAtMs = ? WHERE id = ?', nowMs + EVENT_LIFE_MS, id);
  removeEnded(db, 'payment_events', nowMs);
};
