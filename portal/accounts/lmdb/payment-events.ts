import { EVENT_LIFE_MS, type PaymentEvent } from '../payment-events.ts';
import type { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';
import { noteEnd } from './ends.ts';

export function keepEvent({ books }: LedgerBatch, event: PaymentEvent): boolean {
  if (books.events.doesExist(event.id)) return false;
  const { receivedAtMs } = event;
  books.events.put(event.id, { ...event, endsAtMs: null });
  books.openEvents.put([receivedAtMs, event.id], true);
  return true;
}

/** The oldest first. */
export function openEventsOf(books: Books, limit: number, offset: number): PaymentEvent[] {
  return Array.from(books.openEvents.getKeys({ limit, offset }), ([, id]) => {
    const { endsAtMs: _, ...event } = books.events.get(id)!;
    return event;
  });
}

export function closeEvent({ books }: LedgerBatch, id: string, nowMs: number): void {
  const event = books.events.get(id);
  if (!event) return;
  books.openEvents.remove([event.receivedAtMs, id]);
  const endsAtMs = nowMs + EVENT_LIFE_MS;
  books.events.put(id, { ...event, endsAtMs });
  noteEnd(books, 'events', id, endsAtMs, nowMs);
}
