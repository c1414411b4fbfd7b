import { EVENT_LIFE_MS, type PaymentEvent } from '../payment-events.ts';
import { type Books, removeEnded } from './books.ts';

/** Returns `false` if an event with this id was stored before. */
export function keepEvent(books: Books, event: PaymentEvent): boolean {
  const { id, type, object, receivedAtMs } = event;
  const sql = 'INSERT INTO payment_events VALUES (?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING';
  return books.run(sql, id, type, object, receivedAtMs) > 0;
}

/** Oldest first. */
export function openEvents(books: Books, limit: number, offset = 0): PaymentEvent[] {
  return books.all(
    `SELECT id, type, object, receivedAtMs FROM payment_events WHERE endsAtMs IS NULL
     ORDER BY receivedAtMs, id LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
}

export function closeEvent(books: Books, id: string, nowMs: number): void {
  books.run('UPDATE payment_events SET endsAtMs = ? WHERE id = ?', nowMs + EVENT_LIFE_MS, id);
  removeEnded(books, 'payment_events', nowMs);
}
