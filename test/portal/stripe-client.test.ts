import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PaymentUnavailable } from '../../portal/payment/billing-context.ts';
import {
  asPaymentUnavailable,
  asUnavailable,
  idOf,
  isFaultOfStripe,
  isMissing,
  isUnreachable,
  rejectAfter,
  stripeClient,
} from '../../portal/payment/stripe-client.ts';

const { errors } = Stripe;
const message = 'as Stripe says';
const missing = new errors.StripeInvalidRequestError({
  message,
  code: 'resource_missing',
  param: 'customer',
});

/** Errors of requests, with whether Stripe is at fault and whether Stripe was not reached. */
const ERRORS: readonly [name: string, error: unknown, isFault: boolean, isUnreached: boolean][] = [
  ['no connection', new errors.StripeConnectionError({ message }), true, true],
  ['a failure', new errors.StripeAPIError({ message }), true, false],
  ['too many requests', new errors.StripeRateLimitError({ message }), true, false],
  ['a wrong key', new errors.StripeAuthenticationError({ message }), true, false],
  ['a missing object', missing, false, false],
  ['an invalid request', new errors.StripeInvalidRequestError({ message }), false, false],
  ['a declined card', new errors.StripeCardError({ message }), false, false],
  ['our own time limit', new PaymentUnavailable(message), true, false],
  ['an error of ours', new Error(message), false, false],
  ['no error', undefined, false, false],
];

test.each(ERRORS)(
  'an error is classed as a fault of Stripe or of ours: %s',
  (_name, error, isFault, isUnreached) => {
    expect([isFaultOfStripe(error), isUnreachable(error)]).toEqual([isFault, isUnreached]);
    const isOfStripe = error instanceof errors.StripeError;
    const converted = asUnavailable(error);
    if (!isOfStripe) expect(converted).toBe(error);
    else {
      expect(converted).toBeInstanceOf(PaymentUnavailable);
      expect(converted).toMatchObject({
        name: 'PaymentUnavailable',
        message: `Stripe: ${message}`,
        cause: error,
      });
    }
  },
);

test('an object is missing by its error code, and by the parameter that named it', () => {
  const others = ERRORS.filter(([, error]) => error !== missing);
  for (const [, error] of others) expect(isMissing(error)).toBe(false);
  expect([undefined, 'customer', 'price'].map((param) => isMissing(missing, param))).toEqual([
    true,
    true,
    false,
  ]);
});

test('a reference is its id, expanded or not', () => {
  expect([idOf('cus_1'), idOf({ id: 'cus_2' })]).toEqual(['cus_1', 'cus_2']);
});

test.each([
  [undefined, 'https', 'api.stripe.com', '443'],
  ['http://127.0.0.1:4010', 'http', '127.0.0.1', '4010'],
  ['http://[::1]:4010', 'http', '::1', '4010'],
  ['http://stripe.test', 'http', 'stripe.test', '80'],
  ['https://stripe.test', 'https', 'stripe.test', '443'],
  ['https://stripe.test:8443', 'https', 'stripe.test', '8443'],
])('requests to the address %s use its protocol, host and port', (apiUrl, protocol, host, port) => {
  const access = { secretKey: 'sk_test_1', ...(apiUrl !== undefined && { apiUrl }) };
  const field = (name: string) => String(stripeClient(access).getApiField(name as never));
  expect([field('protocol'), field('host'), field('port')]).toEqual([protocol, host, port]);
});

test('a client waits four seconds for a response, unless configured otherwise, and retries once', () => {
  const secretKey = 'sk_test_1';
  const clients = [stripeClient({ secretKey }), stripeClient({ secretKey, timeoutMs: 300 })];
  expect(clients.map((stripe) => stripe.getApiField('timeout'))).toEqual([4_000, 300]);
  expect(clients.map((stripe) => stripe.getMaxNetworkRetries())).toEqual([1, 1]);
  expect(clients.map((stripe) => stripe.getTelemetryEnabled())).toEqual([false, false]);
});

describe('a time limit', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const never = () => new Promise<never>(() => {});

  test('ends a wait when it has passed, not before, and the error has its length', async () => {
    for (const [limited, limitMs] of [
      [() => rejectAfter(500, never()), 500],
      [() => asPaymentUnavailable(never(), 700), 700],
      [() => asPaymentUnavailable(never()), 12_000],
    ] as const) {
      const outcome = limited().catch((error) => error);
      let isOver = false;
      void outcome.then(() => {
        isOver = true;
      });
      await vi.advanceTimersByTimeAsync(limitMs - 1);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await outcome).toBeInstanceOf(PaymentUnavailable);
      expect((await outcome).message).toBe(`Stripe did not respond within ${limitMs} ms`);
    }
  });

  test('leaves no timer behind after a response or an error, and converts errors of Stripe', async () => {
    expect(await asPaymentUnavailable(Promise.resolve(7))).toBe(7);
    const failure = new errors.StripeAPIError({ message });
    await expect(asPaymentUnavailable(Promise.reject(failure))).rejects.toThrow(PaymentUnavailable);
    await expect(rejectAfter(100, Promise.reject(failure))).rejects.toBe(failure);
    expect(vi.getTimerCount()).toBe(0);
  });
});
