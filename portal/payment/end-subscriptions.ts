import type { PaymentEvent } from '../../proxy/ledger/payment-events.ts';
import { type BillingContext, NOTHING, type Settled } from './billing-context.ts';
import { isFaultOfStripe, isMissing } from './stripe-client.ts';

/**
 * Ensures that a closed account is not charged again: ends its subscriptions, and expires its open
 * checkouts.
 */
export async function endSubscriptions(
  billing: BillingContext,
  accountId: string,
): Promise<Settled> {
  const customer = (await billing.ledger.account(accountId))?.customer ?? null;
  if (customer !== null) await endSubscriptionsOf(billing, customer);
  return NOTHING;
}

/** Maximum duration of closing an account; one that is still open after that stays open. */
export const CLOSES_WITHIN_MS = 10 * 60_000;

/**
 * Ends the subscriptions of an account that was about to be closed, once it is closed; returns
 * `null` while it may still be closing. If closing failed, its owner keeps what was paid for.
 */
export async function endSubscriptionsOnceClosed(
  billing: BillingContext,
  { object, receivedAtMs }: PaymentEvent,
): Promise<Settled | null> {
  const account = await billing.ledger.account(object);
  if (account?.closedAtMs !== null) return endSubscriptions(billing, object);
  return billing.now() - receivedAtMs > CLOSES_WITHIN_MS ? NOTHING : null;
}

const AT_ONCE = 10;

/**
 * Ends the subscriptions of a customer and expires its open checkouts, regardless of the account.
 */
export async function endSubscriptionsOf(
  { stripe }: BillingContext,
  customer: string,
): Promise<void> {
  try {
    const begun: string[] = [];
    const open = { customer, status: 'open', limit: 100 } as const;
    for await (const { id } of stripe.checkout.sessions.list(open)) begun.push(id);
    while (begun.length > 0) {
      const expired = begun.splice(0, AT_ONCE).map((id) =>
        ended(stripe.checkout.sessions.expire(id), async () => {
          return (await stripe.checkout.sessions.retrieve(id)).status !== 'open';
        }),
      );
      await Promise.all(expired);
    }
    for await (const { id } of stripe.subscriptions.list({ customer, limit: 100 })) {
      await ended(stripe.subscriptions.cancel(id), async () => {
        return (await stripe.subscriptions.retrieve(id)).status === 'canceled';
      });
    }
  } catch (error) {
    // A customer deleted at Stripe is not charged.
    if (!isMissing(error, 'customer')) throw error;
  }
}

/** Waits for something to end; it may have been ended concurrently. */
async function ended(ending: Promise<unknown>, hasEnded: () => Promise<boolean>): Promise<void> {
  try {
    await ending;
  } catch (error) {
    if (isFaultOfStripe(error) || !(await hasEnded())) throw error;
  }
}
