import { RETRY } from '../../proxy/http/error-handling.ts';
import { Problem } from '../../proxy/http/problem.ts';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import type { PaymentEvent } from '../../proxy/ledger/payment-events.ts';
import type { BillingContext, MembershipPrices } from './billing-context.ts';
import { PaymentUnavailable } from './billing-context.ts';
import { buyPack, type CheckoutContext, manage, priceFault, subscribe } from './checkout.ts';
import { CLOSES_WITHIN_MS, endSubscriptions } from './end-subscriptions.ts';
import { EventWorker } from './event-worker.ts';
import { ACCOUNT_CLOSED, settleEvent, signedEvent } from './events.ts';
import type { Payment } from './payment.ts';
import { type Reconciled, reconcile } from './reconcile.ts';
import { asUnavailable, rejectAfter, type StripeAccess, stripeClient } from './stripe-client.ts';

export interface PaymentSettings extends StripeAccess {
  readonly webhookSecret: string;
  readonly membershipPrices: MembershipPrices;
}

export interface OpenPayment extends Payment {
  /** Processes events from now on, starting with those already stored. */
  start(onError: (error: unknown, event?: PaymentEvent) => void): void;
  /** Processes open events. Resolves when all that are due have been tried. */
  settleOpenEvents(): Promise<void>;
  /**
   * Finds errors in the membership's prices at Stripe; `null` if there are none, or if Stripe does
   * not respond.
   */
  priceFault(): Promise<string | null>;
  /** Stops processing events; open ones stay stored. */
  close(): Promise<void>;
}

export function openPayment(options: {
  readonly settings: PaymentSettings;
  readonly ledger: Ledger;
  readonly accountUrl: string;
  readonly now?: () => number;
  readonly retryMs?: number;
  /** Time limit for one event before it is retried later. */
  readonly settleWithinMs?: number;
}): OpenPayment {
  const {
    settings,
    ledger,
    accountUrl,
    now = Date.now,
    retryMs,
    settleWithinMs = 60_000,
  } = options;
  const { membershipPrices, webhookSecret } = settings;
  const context: CheckoutContext = {
    stripe: stripeClient(settings),
    ledger,
    membershipPrices,
    accountUrl,
    now,
  };
  let onError: (error: unknown, event?: PaymentEvent) => void = () => {};
  const workerOf = (isOwn: (event: PaymentEvent) => boolean) =>
    new EventWorker({
      settle: (event) => rejectAfter(settleWithinMs, settleEvent(context, event)),
      onError: (error, event) => onError(error, event),
      ledger,
      isOwn,
      now,
      retryMs,
    });
  const isClosing = ({ type }: PaymentEvent) => type === ACCOUNT_CLOSED;
  // Closing accounts must not delay payments, however much there is to end.
  const payments = workerOf((event) => !isClosing(event));
  const closings = workerOf(isClosing);

  const withProblem = async <T>(response: Promise<T>): Promise<T> => {
    try {
      return await response;
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      onError(error);
      const detail = 'the payment processor is not responding; nothing was purchased';
      throw new Problem('payment-unavailable', detail, {}, RETRY);
    }
  };
  return {
    subscribe: (account) => withProblem(subscribe(context, account)),
    buyPack: (account, packId) => withProblem(buyPack(context, account, packId)),
    manage: (account) => withProblem(manage(context, account)),
    portalUrl: ({ customer, membership }) =>
      customer !== null && membership?.subscription ? `${accountUrl}/billing/portal` : null,
    async receive(body, signature) {
      const event = signedEvent(body, signature, { webhookSecret, nowMs: now() });
      if (event && (await ledger.storeEvent(event))) void payments.wake();
    },
    async endSubscription({ id }) {
      // The period is part of the id: requests repeated within it store one event.
      const period = Math.floor(now() / (CLOSES_WITHIN_MS / 2));
      await ledger.storeEvent({
        id: `${ACCOUNT_CLOSED}:${id}:${period}`,
        type: ACCOUNT_CLOSED,
        object: id,
        receivedAtMs: now(),
      });
      void closings.wake();
    },
    start(listener) {
      onError = listener;
      void payments.wake();
      void closings.wake();
    },
    async settleOpenEvents() {
      await Promise.all([payments.wake(), closings.wake()]);
    },
    priceFault: () => priceFault(context),
    async close() {
      await Promise.all([payments.stop(), closings.stop()]);
    },
  };
}

/**
 * Books what may have changed at Stripe since a given time, or ever. Rejects with
 * `PaymentUnavailable` on failure.
 */
export async function reconcileWith(
  settings: PaymentSettings,
  ledger: Ledger,
  sinceMs: number | null,
): Promise<Reconciled> {
  return byCommand(settings, ledger, (billing) => reconcile(billing, sinceMs));
}

/** Ends an account's subscriptions at Stripe. Rejects with `PaymentUnavailable` on failure. */
export async function endSubscriptionsWith(
  settings: PaymentSettings,
  ledger: Ledger,
  account: AccountId,
): Promise<void> {
  await byCommand(settings, ledger, (billing) => endSubscriptions(billing, account));
}

/** Runs an action with a longer time-out, since no client waits for its result. */
async function byCommand<T>(
  settings: PaymentSettings,
  ledger: Ledger,
  act: (billing: BillingContext) => Promise<T>,
): Promise<T> {
  const { membershipPrices } = settings;
  const stripe = stripeClient({ timeoutMs: 30_000, ...settings });
  try {
    return await act({ stripe, ledger, membershipPrices, now: Date.now });
  } catch (error) {
    throw asUnavailable(error);
  }
}
