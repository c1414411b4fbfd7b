import { counted } from '../../shards/number-words.ts';
import { Problem } from '../http/problem.ts';
import { LedgerUnavailable, OutcomeUnknown, RefundPending } from '../ledger/ledger.ts';
import { PLANS } from '../plans.ts';
import type { Answer, Principal } from './principal.ts';

/** The principal has left before the debit: nothing is delivered or charged. */
export class PrincipalGone extends Error {}

export function requirePresence(principal: Principal): void {
  if (principal.hasLeft()) throw new PrincipalGone();
}

/** A paid answer; `refunded` resolves once the tokens for its undelivered part are refunded. */
export interface HandedOver {
  readonly answer: Answer;
  readonly refunded: Promise<void>;
}

/**
 * Counts the charges whose answers are neither delivered nor refunded yet, so that a ledger is
 * closed only after them.
 */
export class OpenCharges {
  #open = 0;
  #hasEnded = false;
  #onSettled: (() => void)[] = [];

  /**
   * Makes a charge with `charge`, and counts it as open until it fails, charges nothing or is
   * refunded. A principal who has left is not charged, since the balance would show the price
   * between debit and refund.
   */
  async open<Charged extends HandedOver | object | undefined>(
    principal: Principal,
    charge: () => Promise<Charged>,
  ): Promise<Charged> {
    requirePresence(principal);
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

  /**
   * Hands a paid answer over and refunds what was not delivered: the tokens for the share that the
   * kernel did not accept before the connection failed. A reader who disconnects in the middle pays
   * for what was handed over, and one who disconnects just before the end pays for everything. One
   * who disconnects before the beginning pays the minimum, at which a HEAD states the price, since
   * the balance has shown it. Connections that the service breaks off itself cost nothing.
   */
  async handOver(
    principal: Principal,
    tokens: number,
    repay: (undelivered: number) => Promise<void>,
    paidAnswer: () => Answer | Promise<Answer>,
  ): Promise<HandedOver> {
    try {
      const answer = await paidAnswer();
      const refunded = principal
        .deliver(answer)
        .then((share) => {
          const least = this.#hasEnded ? 0 : PLANS.charges.minimum;
          const undelivered = tokens - Math.max(least, Math.ceil(tokens * share));
          return undelivered > 0 ? repay(undelivered) : undefined;
        })
        // The answer has been sent, so an error can only be logged.
        .catch((error) => principal.report('refund failed', error));
      return { answer, refunded };
    } catch (error) {
      await repay(tokens).catch(asUnknown);
      throw error;
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

/** Rethrows the error of a refund that failed, after which the charge may stand. */
function asUnknown(error: unknown): never {
  if (error instanceof RefundPending || !(error instanceof LedgerUnavailable)) throw error;
  throw new OutcomeUnknown(error.message, { cause: error });
}

/** An arbitrary long delay: tokens return only when some are bought. */
const EXHAUSTED_RETRY_SECONDS = '3600';

/**
 * Error for a response that costs more than the balance. It states a price that follows from the
 * request alone, but not one that is a number of rows: an account without tokens could derive times
 * from it by bisection. `most`: the price if nothing of the request turns out to be free; infinite
 * if `price` is only the least.
 */
export function tokensExhausted(balance: number, price?: number, most = price): Problem {
  return new Problem(
    'tokens-exhausted',
    `the response ${costsInWords(price, most)} more than the ${counted(balance, 'token')} left; nothing was charged`,
    { tokens_remaining: balance, ...(price !== undefined && { tokens_required: price }) },
    { 'retry-after': EXHAUSTED_RETRY_SECONDS, 'x-tokens-remaining': String(balance) },
  );
}

function costsInWords(price: number | undefined, most: number | undefined): string {
  if (price === undefined || most === undefined) return 'costs';
  if (most === Number.POSITIVE_INFINITY) return `costs at least ${counted(price, 'token')},`;
  return `costs ${price === most ? '' : `${price} to `}${counted(most, 'token')},`;
}

/**
 * Whether a balance covers a response, as far as its price is known before it is computed. Check
 * this first, so that a refusal costs no work and its duration does not depend on the data.
 */
export function mayAfford(balance: number, price: number = PLANS.charges.minimum): boolean {
  return balance >= price;
}
