import type { ClientId } from '../../shards/concurrency/fair-queue.ts';

/** Sends what people get by mail. */
export interface Mailer {
  /**
   * Resolves when the message has been handed on; rejects if refused, with `AddressRefused` where
   * the mail server rejects that address. `clientId`: the sender in whose turn it is queued.
   */
  send(message: Message, clientId?: ClientId): Promise<void>;
  close(): Promise<void>;
}

/** A mail server's word that an address is none, or none that it sends mail to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

export interface Message {
  /** One address, which has been checked (`isEmailAddress`). */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
