import Stripe from 'stripe';
import { raceTimer } from '../../shards/concurrency/race-timer.ts';
import { PaymentUnavailable } from './billing-context.ts';

export interface StripeAccess {
  readonly secretKey: string;
  /** Stripe's URL, if not the default, such as that of a stub in tests. */
  readonly apiUrl?: string;
  readonly timeoutMs?: number;
}

/**
 * Creates Stripe's own client, configured for waiting users: a request fails within seconds, and is
 * retried at most once, under the same idempotency key.
 */
export function stripeClient({ secretKey, apiUrl, timeoutMs = 4_000 }: StripeAccess): Stripe {
  return new Stripe(secretKey, {
    maxNetworkRetries: 1,
    timeout: timeoutMs,
    telemetry: false,
    appInfo: { name: 'travel-time-access' },
    ...(apiUrl !== undefined && addressOf(new URL(apiUrl))),
  });
}

function addressOf({ protocol, hostname, port }: URL) {
  const isSecure = protocol === 'https:';
  return {
    protocol: isSecure ? ('https' as const) : ('http' as const),
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (isSecure ? 443 : 80),
  };
}

/**
 * Awaits a response of Stripe on behalf of a waiting user. Rejects with `PaymentUnavailable` on an
 * error or after `withinMs`.
 */
export async function asPaymentUnavailable<T>(response: Promise<T>, withinMs = 12_000): Promise<T> {
  try {
    return await rejectAfter(withinMs, response);
  } catch (error) {
    throw asUnavailable(error);
  }
}

/**
 * Awaits a response, but rejects with `PaymentUnavailable` after `limitMs`: the library's own limit
 * only covers silence, and a response may arrive one byte at a time.
 */
export function rejectAfter<T>(limitMs: number, response: Promise<T>): Promise<T> {
  return raceTimer(response, limitMs, () => {
    throw new PaymentUnavailable(`Stripe did not respond within ${limitMs} ms`);
  });
}

/**
 * Converts errors of Stripe or the connection to `PaymentUnavailable`; returns other errors
 * unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  return new PaymentUnavailable(`Stripe: ${error.message}`, { cause: error });
}

/**
 * Whether Stripe reports that something does not exist; `param`: the parameter that named it, if
 * that matters.
 */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    (param === undefined || error.param === param)
  );
}

/** Whether Stripe may be at fault rather than the request: it fails, is late, or refuses us. */
export function isFaultOfStripe(error: unknown): boolean {
  const { StripeInvalidRequestError, StripeCardError, StripeError } = Stripe.errors;
  if (error instanceof StripeInvalidRequestError || error instanceof StripeCardError) return false;
  return error instanceof StripeError || error instanceof PaymentUnavailable;
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeConnectionError;
}

/** The id of a Stripe reference, which is an id or, if expanded, the object. */
export function idOf<T extends string | { readonly id: string }>(reference: T): string {
  return typeof reference === 'string' ? reference : reference.id;
}
