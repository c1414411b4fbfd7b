import Stripe from 'stripe';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import {
  type BillingContext,
  NOTHING,
  PaymentUnavailable,
  type Settled,
  sumSettled,
} from './billing-context.ts';
import { purchaseOfInvoice, purchaseOfSession } from './purchase.ts';
import { settleSubscription } from './settle-membership.ts';
import { settleDispute, settlePurchase, settleRefund } from './settle-purchase.ts';
import { isUnreachable } from './stripe-client.ts';

/** Number of objects examined of each kind, and the resulting changes. */
export interface Reconciled extends Settled {
  readonly invoices: number;
  readonly sessions: number;
  readonly refunds: number;
  readonly disputes: number;
  readonly subscriptions: number;
}

const MAX_REPORTED = 5;

const DAY_SECONDS = 24 * 60 * 60;

/**
 * How long after its creation an object may still change: an invoice is paid, a bank transfer
 * arrives, a refund fails, a dispute is decided.
 */
const CHANGES_FOR_SECONDS = {
  invoices: 60 * DAY_SECONDS,
  sessions: 30 * DAY_SECONDS,
  refunds: 60 * DAY_SECONDS,
  disputes: 365 * DAY_SECONDS,
};

/**
 * Reconciles the ledger with all changes at Stripe since a given time, or ever, whether or not
 * their events arrived. Settled purchases stay unchanged. A failure at Stripe does not block the
 * rest; it rejects with `PaymentUnavailable` at the end.
 */
export async function reconcile(
  billing: BillingContext,
  sinceMs: number | null,
): Promise<Reconciled> {
  const { stripe, membershipPrices } = billing;
  const count = { invoices: 0, sessions: 0, refunds: 0, disputes: 0, subscriptions: 0 };
  let settled = NOTHING;
  const failures: string[] = [];
  const all = async <Thing extends { readonly id: string }>(
    kind: keyof typeof count,
    things: AsyncIterable<Thing>,
    settle: (thing: Thing) => Promise<Settled>,
  ) => {
    for await (const thing of things) {
      count[kind]++;
      try {
        settled = sumSettled(settled, await settle(thing));
      } catch (error) {
        if (isUnreachable(error) || !(error instanceof Stripe.errors.StripeError)) throw error;
        failures.push(`${thing.id}: ${error.message}`);
      }
    }
  };
  const madeSince = (kind: keyof typeof CHANGES_FOR_SECONDS) => ({
    limit: 100,
    created: { gte: Math.max(0, Math.floor((sinceMs ?? 0) / 1000) - CHANGES_FOR_SECONDS[kind]) },
  });

  const invoices = stripe.invoices.list({
    ...madeSince('invoices'),
    status: 'paid',
    expand: ['data.payments'],
  });
  await all('invoices', invoices, (invoice) =>
    settlePurchase(billing, purchaseOfInvoice(invoice, membershipPrices)),
  );
  const sessions = stripe.checkout.sessions.list({ ...madeSince('sessions'), status: 'complete' });
  await all('sessions', sessions, (session) => settlePurchase(billing, purchaseOfSession(session)));
  await all('refunds', stripe.refunds.list(madeSince('refunds')), ({ id }) =>
    settleRefund(billing, id),
  );
  await all('disputes', stripe.disputes.list(madeSince('disputes')), ({ id }) =>
    settleDispute(billing, id),
  );
  // A subscription may end at any age.
  for (const price of membershipPrices) {
    const everyStatus = { price, status: 'all', limit: 100 } as const;
    await all('subscriptions', stripe.subscriptions.list(everyStatus), async (subscription) => {
      const { id, status, metadata } = subscription;
      const isSettled = status === 'canceled' && !(await isHeldBy(billing, metadata.account, id));
      return isSettled ? NOTHING : settleSubscription(billing, id);
    });
  }
  if (failures.length > 0) {
    const listed = failures.slice(0, MAX_REPORTED).join('; ');
    throw new PaymentUnavailable(
      `Stripe: ${failures.length} not settled, all others are: ${listed}`,
    );
  }
  return { ...count, ...settled };
}

async function isHeldBy(
  { ledger }: BillingContext,
  account: AccountId | undefined,
  subscription: string,
): Promise<boolean> {
  const { membership } = (await ledger.account(account ?? '')) ?? {};
  return membership?.subscription === subscription;
}
