import { EVENT_LIFE_MS, type PaymentEvent } from '../payment-events.ts';
import { removeEnded, type SqlConnection } from './sql-connection.ts';

/** Returns `false` if an event with this id was stored before. */
export function storeEvent(db: SqlConnection, event: PaymentEvent): boolean {
  const { id, type, object, receivedAtMs } = event;
  const sql = 'INSERT INTO payment_events VALUES (?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING';
  return db.run(sql, id, type, object, receivedAtMs) > 0;
}

/** The events that are not settled, oldest first; a settled one has a time when it is removed. */
export function openEvents(db: SqlConnection, limit: number, offset = 0): PaymentEvent[] {
  return db.all(
    `SELECT id, type, object, receivedAtMs FROM payment_events WHERE endsAtMs IS NULL
     ORDER BY receivedAtMs, id LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
}

export function closeEvent(db: SqlConnection, id: string, nowMs: number): void {
  db.run('UPDATE payment_events SET endsAtMs = ? WHERE id = ?', nowMs + EVENT_LIFE_MS, id);
  removeEnded(db, 'payment_events', nowMs);
}
