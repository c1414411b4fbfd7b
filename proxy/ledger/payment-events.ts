/** Payment events received and not yet processed. Failures are `LedgerUnavailable`. */
export interface PaymentEvents {
  /** Stores an event durably; returns `false` if it was stored before, open or not. */
  storeEvent(event: PaymentEvent): Promise<boolean>;
  /**
   * Events not yet processed, oldest first: at most `limit` (up to 1,000), after skipping `offset`.
   */
  openEvents(limit: number, offset?: number): Promise<PaymentEvent[]>;
  /** Records that an event has been processed; the record lasts for `EVENT_LIFE_MS`. */
  closeEvent(id: string, nowMs: number): Promise<void>;
}

/**
 * How long processed events are remembered: longer than a payment processor redelivers events that
 * were not accepted.
 */
export const EVENT_LIFE_MS = 60 * 24 * 60 * 60 * 1000;

export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  /** Id of the affected object: its current state is fetched rather than trusting the event. */
  readonly object: string;
  readonly receivedAtMs: number;
}
