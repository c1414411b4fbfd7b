import type { FastifyRequest } from 'fastify';
import type { Charge, Metering } from '../../portal/accounts/metering.ts';
import { Problem } from '../../portal/http/problem.ts';
import { PLANS } from '../../portal/plans.ts';
import { counted } from '../../shards/number-words.ts';
import type { DeliveredFraction } from '../http/response-writer.ts';

/** No `Retry-After`: tokens return only when some are bought. */
const EXHAUSTED_RETRY_SECONDS = '3600';

/** Takes a charge, and returns what is left; `tokens-exhausted` if there is not enough. */
export async function pay(ledger: Metering, due: Charge): Promise<number> {
  const { outcome, balance } = await ledger.debit(due);
  if (outcome === 'debited') return balance;
  throw tokensExhausted(balance);
}

/**
 * Refuses a response that costs more than the balance. It does not state the price, which is a
 * number of rows: an account without tokens could read times from it by bisection.
 */
export function tokensExhausted(balance: number): Problem {
  return new Problem(
    'tokens-exhausted',
    `the response costs more than the ${counted(balance, 'token')} left; nothing was charged`,
    { tokens_remaining: balance },
    { 'retry-after': EXHAUSTED_RETRY_SECONDS, 'x-tokens-remaining': String(balance) },
  );
}

/**
 * Whether a balance pays for no answer whatever. To be asked before anything is read, so that not
 * even the time that it takes depends on what the answer would hold.
 */
export function hasNoTokens(balance: number): boolean {
  return balance < PLANS.charges.minimum;
}

/** An answer that the outbox has, in an object: so one can wait for it to be handed over alone. */
export interface Delivery {
  readonly share: Promise<DeliveredFraction>;
}

/** An answer that is handed over, and when what became of it has been settled. */
export interface Settlement {
  readonly settled: Promise<void>;
}

/**
 * Hands over an answer that has been paid for, and repays what of it was not delivered: the tokens
 * of the share that the kernel did not take before the connection failed. So a reader who leaves in
 * the middle pays for what was handed over, and one who leaves just before the end for all.
 */
export async function deliverBody(
  request: FastifyRequest,
  tokens: number,
  repay: (undelivered: number) => Promise<void>,
  hand: () => Delivery | Promise<Delivery>,
): Promise<Settlement> {
  const repayFrom = async (share: DeliveredFraction) => {
    const undelivered = tokens - Math.ceil(tokens * share);
    if (undelivered > 0) await repay(undelivered);
  };
  let handed: Delivery;
  try {
    handed = await hand();
  } catch (error) {
    await repayFrom(0);
    throw error;
  }
  // The response has been sent, so an error can only be logged.
  const settled = handed.share.then(repayFrom).catch((error) => {
    request.log.error({ err: error, reqId: request.id }, 'refund failed');
  });
  return { settled };
}
