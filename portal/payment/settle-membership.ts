import { isDeepStrictEqual } from 'node:util';
import type Stripe from 'stripe';
import type { Account } from '../../proxy/ledger/accounts.ts';
import { type BillingContext, MAX_ROUNDS, NOTHING, type Settled } from './billing-context.ts';
import { endSubscriptionsOf } from './end-subscriptions.ts';
import { type KnownSubscription, membershipOf } from './membership.ts';
import { membershipLines } from './purchase.ts';
import { idOf, isMissing } from './stripe-client.ts';

/**
 * Gives a subscription's account the membership that all its subscriptions at Stripe grant now. The
 * written state is read back: if two portals settle one account, the last writer has read the
 * current state. A membership granted by an operator stays. A closed account's subscriptions are
 * ended, since its owner could not end them.
 */
export async function settleSubscription(billing: BillingContext, id: string): Promise<Settled> {
  const { stripe, ledger, membershipPrices, now } = billing;
  const subscription = await stripe.subscriptions.retrieve(id);
  const account = await ledger.account(subscription.metadata.account ?? '');
  if (!account) return NOTHING;
  const customers = new Set([
    account.customer ?? idOf(subscription.customer),
    idOf(subscription.customer),
  ]);
  if (account.customer === null) await ledger.setCustomer(account.id, idOf(subscription.customer));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { membership: kept, closedAtMs } = (await ledger.account(account.id)) as Account;
    if (closedAtMs !== null) {
      for (const customer of customers) await endSubscriptionsOf(billing, customer);
      if (kept === null) return NOTHING;
      await ledger.setMembership(account.id, null, { by: 'payment', atMs: now() });
      return { ...NOTHING, membershipsChanged: 1 };
    }
    if (kept !== null && kept.subscription === null) return NOTHING;
    const subscriptions = await subscriptionsOf(billing, customers);
    const membership = membershipOf(subscriptions, membershipPrices);
    if (isDeepStrictEqual(kept, membership))
      return { ...NOTHING, membershipsChanged: round > 0 ? 1 : 0 };
    await ledger.setMembership(account.id, membership, { by: 'payment', atMs: now() });
  }
  throw new Error(`the membership of ${account.id} is changing too fast to be settled`);
}

async function subscriptionsOf(
  billing: BillingContext,
  customers: ReadonlySet<string>,
): Promise<KnownSubscription[]> {
  const found: KnownSubscription[] = [];
  for (const customer of customers) {
    try {
      for await (const subscription of billing.stripe.subscriptions.list({
        customer,
        limit: 100,
      })) {
        const isDue = subscription.status === 'past_due';
        const paidUntilMs = isDue ? await paidUntil(billing, subscription) : null;
        found.push({ subscription, paidUntilMs });
      }
    } catch (error) {
      // A customer deleted at Stripe has no subscriptions.
      if (!isMissing(error, 'customer')) throw error;
    }
  }
  return found;
}

/** End of the last paid period of a subscription; `null` if none was paid. */
async function paidUntil(
  { stripe, membershipPrices }: BillingContext,
  { id }: Stripe.Subscription,
): Promise<number | null> {
  const { data } = await stripe.invoices.list({ subscription: id, status: 'paid', limit: 1 });
  const lines = data[0] ? membershipLines(data[0], membershipPrices) : [];
  return lines.length === 0 ? null : Math.max(...lines.map(({ period }) => period.end)) * 1000;
}
