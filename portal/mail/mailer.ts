import type { ClientId } from '../../shards/concurrency/fair-queue.ts';

export interface Mailer {
  /**
   * Resolves when the message has been handed on; rejects if refused, with `AddressRefused` if the
   * mail server rejects that address. `clientId`: the client in whose turn the message is queued.
   */
  send(message: Message, clientId?: ClientId): Promise<void>;
  close(): Promise<void>;
}

/** Error for an address that the mail server rejected as invalid, not served, or unavailable. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

export interface Message {
  /** A single, validated address (`isEmailAddress`). */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Headers of every mail: sender, and no automatic replies. */
export function headersOf(to: string, from: string) {
  return {
    from,
    // As an object: a plain text would be parsed as a list of addresses.
    to: { name: '', address: to },
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  } as const;
}
