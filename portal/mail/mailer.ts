import type { Asker } from '../../shards/fair-queue.ts';

/** Sends what people get by mail. */
export interface Mailer {
  /**
   * Resolves when the message has been handed on; rejects when nobody took it. `asker`: on whose
   * behalf it is sent, where those who have many sent let others go between.
   */
  send(message: Message, asker?: Asker): Promise<void>;
  close(): Promise<void>;
}

export interface Message {
  /** One address, which has been checked (`isEmailAddress`). */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
