/** Payment events received and not yet processed. Failures are `LedgerUnavailable`. */
export interface PaymentEvents {
  /** Keeps an event, once it is on the disk; `false` of one that was kept before, open or not. */
  keepEvent(event: PaymentEvent): Promise<boolean>;
  /** Those not acted upon yet, the oldest first, past the first `offset`: `limit` at most, to 1,000. */
  openEvents(limit: number, offset?: number): Promise<PaymentEvent[]>;
  /** Notes that an event has been acted upon. It is known for `EVENT_LIFE_MS`. */
  closeEvent(id: string, nowMs: number): Promise<void>;
}

/** Longer than a payment processor repeats what was not taken. */
export const EVENT_LIFE_MS = 60 * 24 * 60 * 60 * 1000;

export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  /** The id of what it is about: its present state is asked for, not believed. */
  readonly object: string;
  readonly receivedAtMs: number;
}
