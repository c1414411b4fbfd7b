import Stripe from 'stripe';
import { PaymentUnavailable } from './billing-context.ts';

export interface StripeAccess {
  readonly secretKey: string;
  /** Where Stripe is, if not at its own address: a stand-in in tests. */
  readonly apiUrl?: string;
  /** How long one request may be without an answer. */
  readonly timeoutMs?: number;
}

/**
 * Stripe's own library, for callers who wait: a request fails within seconds, and is tried a second
 * time at most, under the same idempotency key.
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
 * Requests Stripe on behalf of a waiting user. Rejects with `PaymentUnavailable` on an error or
 * after `withinMs`.
 */
export async function withTimeout<T>(response: Promise<T>, withinMs = 12_000): Promise<T> {
  try {
    return await within(withinMs, response);
  } catch (error) {
    throw asUnavailable(error);
  }
}

/**
 * Rejects with `PaymentUnavailable` if something takes longer, however Stripe holds it up: the
 * library's own limit is on silence, and an answer may come a byte at a time.
 */
export async function within<T>(limitMs: number, response: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new PaymentUnavailable(`Stripe did not respond within ${limitMs} ms`);
    timer = setTimeout(reject, limitMs, error);
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Converts faults of Stripe or the connection; rethrows other errors. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  return new PaymentUnavailable(`Stripe: ${error.message}`, { cause: error });
}

/** Whether Stripe says that it has no such thing; `param` is what named it, if that matters. */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    (param === undefined || error.param === param)
  );
}

/** Whether Stripe may be at fault, and not what was asked of it: it fails, is late, or refuses us. */
export function isFaultOfStripe(error: unknown): boolean {
  const { StripeInvalidRequestError, StripeCardError, StripeError } = Stripe.errors;
  if (error instanceof StripeInvalidRequestError || error instanceof StripeCardError) return false;
  return error instanceof StripeError || error instanceof PaymentUnavailable;
}

/** Whether Stripe was not reached, or has said nothing. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeConnectionError;
}

/** The id of what Stripe gives as an id or, expanded, as the thing. */
export function idOf<T extends string | { readonly id: string }>(reference: T): string {
  return typeof reference === 'string' ? reference : reference.id;
}
