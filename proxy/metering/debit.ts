import type { FastifyRequest } from 'fastify';
import { counted } from '../../shards/number-words.ts';
import { Problem } from '../http/problem.ts';
import type { DeliveredFraction } from '../http/response-writer.ts';
import { LedgerUnavailable, OutcomeUnknown, RefundPending } from '../ledger/ledger.ts';
import type { Charge, Metering } from '../ledger/metering.ts';
import { PLANS } from '../plans.ts';
import type { HandedOver } from './open-charges.ts';

/** An arbitrary long delay: tokens return only when some are bought. */
const EXHAUSTED_RETRY_SECONDS = '3600';

/**
 * Debits a charge and returns the remaining balance; throws `tokens-exhausted` if the balance does
 * not suffice. `publicPrice`: the price, if it follows from the request alone.
 */
export async function debit(ledger: Metering, due: Charge, publicPrice?: number): Promise<number> {
  const { outcome, balance } = await ledger.debit(due);
  if (outcome === 'debited') return balance;
  throw tokensExhausted(balance, publicPrice);
}

/**
 * Error for a response that costs more than the balance. It states a price that follows from the
 * request alone, but not one that is a number of rows: an account without tokens could derive times
 * from it by bisection. `most`: the price if nothing of the request turns out to be free.
 */
export function tokensExhausted(balance: number, price?: number, most = price): Problem {
  const from = price === most ? '' : `${price} to `;
  const costs = most === undefined ? 'costs' : `costs ${from}${counted(most, 'token')},`;
  return new Problem(
    'tokens-exhausted',
    `the response ${costs} more than the ${counted(balance, 'token')} left; nothing was charged`,
    { tokens_remaining: balance, ...(price !== undefined && { tokens_required: price }) },
    { 'retry-after': EXHAUSTED_RETRY_SECONDS, 'x-tokens-remaining': String(balance) },
  );
}

/**
 * Whether a balance covers a response, as far as its price is known before it is computed. Check
 * this first, so that a refusal costs no work and its duration does not depend on the data.
 */
export function mayAfford(balance: number, price: number = PLANS.charges.minimum): boolean {
  return balance >= price;
}

/**
 * A response accepted by the `ResponseWriter`, wrapped in an object so that the hand-over alone can
 * be awaited.
 */
export interface Delivery {
  readonly share: Promise<DeliveredFraction>;
}

/**
 * Hands over a paid response and refunds what was not delivered: the tokens for the share that the
 * kernel did not accept before the connection failed. A reader who disconnects in the middle pays
 * for what was handed over, and one who disconnects just before the end pays for everything. One
 * who disconnects before the beginning pays the minimum, at which a HEAD states the price, since
 * the balance has shown it. Connections that the service breaks off itself cost nothing.
 */
export async function deliverBody(
  request: FastifyRequest,
  tokens: number,
  repay: (undelivered: number) => Promise<void>,
  deliver: () => Delivery | Promise<Delivery>,
): Promise<HandedOver> {
  const { charges, onward: onwardRequests } = request.server.services;
  const repayFrom = async (share: DeliveredFraction) => {
    const least = charges.hasEnded ? 0 : PLANS.charges.minimum;
    const undelivered = tokens - Math.max(least, Math.ceil(tokens * share));
    if (undelivered > 0) await repay(undelivered);
  };
  let delivery: Delivery;
  try {
    delivery = await deliver();
  } catch (error) {
    await repay(tokens).catch(asUnknown);
    throw error;
  }
  // An onward request counts as delivered once the response that it becomes part of does.
  const onward = onwardRequests.get(request.id);
  const share = onward
    ? delivery.share.then((own) => onward.then((other) => own * other))
    : delivery.share;
  // The response has been sent, so an error can only be logged.
  const refunded = share.then(repayFrom).catch((error) => {
    request.log.error({ err: error, reqId: request.id }, 'refund failed');
  });
  return { refunded };
}

/** Rethrows the error of a refund that failed, after which the charge may stand. */
function asUnknown(error: unknown): never {
  if (error instanceof RefundPending || !(error instanceof LedgerUnavailable)) throw error;
  throw new OutcomeUnknown(error.message, { cause: error });
}
