import type { PaymentEvent } from '../accounts/payment-events.ts';
import { type BillingContext, NOTHING, type Settled } from './billing-context.ts';
import { isFaultOfStripe, isMissing } from './stripe-client.ts';

/**
 * Sees to it that a closed account is not charged again: what was subscribed ends now, and what was
 * begun cannot be paid any more.
 */
export async function endSubscriptions(
  billing: BillingContext,
  accountId: string,
): Promise<Settled> {
  const customer = (await billing.ledger.account(accountId))?.customer ?? null;
  if (customer !== null) await endSubscriptionsOf(billing, customer);
  return NOTHING;
}

/** How long a closing that was begun may take. An account that is open then stays open. */
export const CLOSES_WITHIN_MS = 10 * 60_000;

/**
 * The same of an account that was about to be closed, once it is: `null` while it may still be. Where
 * closing has failed, its owner keeps what was paid for.
 */
export async function endSubscriptionsOnceClosed(
  billing: BillingContext,
  { object, receivedAtMs }: PaymentEvent,
): Promise<Settled | null> {
  const account = await billing.ledger.account(object);
  if (account?.closedAtMs !== null) return endSubscriptions(billing, object);
  return billing.now() - receivedAtMs > CLOSES_WITHIN_MS ? NOTHING : null;
}

/** How many checkouts are ended at once. */
const AT_ONCE = 10;

/** The same for what one customer has, whosever that is. */
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
    // A customer who was deleted at Stripe is charged nothing.
    if (!isMissing(error, 'customer')) throw error;
  }
}

/** Waits for the end of something, which another may have ended just before. */
async function ended(ending: Promise<unknown>, hasEnded: () => Promise<boolean>): Promise<void> {
  try {
    await ending;
  } catch (error) {
    if (isFaultOfStripe(error) || !(await hasEnded())) throw error;
  }
}
