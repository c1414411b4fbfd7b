import type { FastifyReply, FastifyRequest } from 'fastify';
import { isWritable } from '../http/response-writer.ts';
import { LedgerUnavailable } from '../ledger/ledger.ts';

/** The client has disconnected before the debit: nothing is sent or charged. */
class ClientGone extends Error {}

/** Stops the work on a request, within `unlessGone`, if its client has disconnected. */
export function requireClient({ raw }: FastifyRequest): void {
  if (!isWritable(raw.socket)) throw new ClientGone();
}

/** Works on a request, without a response if `requireClient` stops it. */
export async function unlessGone(reply: FastifyReply, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ClientGone)) throw error;
    reply.hijack();
  }
}

/** A charge made; `refunded` resolves once the tokens for the undelivered part are refunded. */
export interface HandedOver {
  readonly refunded: Promise<void>;
}

/**
 * Counts the charges whose responses are neither delivered nor refunded yet, so that a ledger is
 * closed only after them.
 */
export class OpenCharges {
  #open = 0;
  #hasEnded = false;
  #onSettled: (() => void)[] = [];

  /** Whether the service has ended all charging; it may then break connections off itself. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Makes a charge with `charge`, and counts it as open until it fails, charges nothing or is
   * refunded. A client that has left is not charged, since the balance would show the price
   * between debit and refund.
   */
  async open<Charged extends HandedOver | object | undefined>(
    request: FastifyRequest,
    charge: () => Promise<Charged>,
  ): Promise<Charged> {
    requireClient(request);
    if (this.#hasEnded) throw new LedgerUnavailable('the service is shutting down');
    this.#open++;
    let refunded: Promise<void> | undefined;
    try {
      const charged = await charge();
      if (charged && 'refunded' in charged) ({ refunded } = charged);
      return charged;
    } finally {
      if (refunded) void refunded.then(this.#settle);
      else this.#settle();
    }
  }

  /** Refuses further charges; resolves once none is open. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    if (this.#open > 0) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
  }

  readonly #settle = (): void => {
    this.#open--;
    if (this.#open > 0 || !this.#hasEnded) return;
    for (const resolve of this.#onSettled.splice(0)) resolve();
  };
}
