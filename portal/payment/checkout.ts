import type Stripe from 'stripe';
import { Problem } from '../../proxy/http/problem.ts';
import { type Account, isMember } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { MEMBERSHIP_CENTS, type PackId, PLANS } from '../../proxy/plans.ts';
import { counted } from '../../shards/number-words.ts';
import { PAGE_PATHS } from '../page-paths.ts';
import type { BillingContext } from './billing-context.ts';
import { PaymentUnavailable } from './billing-context.ts';
import { endSubscriptions } from './end-subscriptions.ts';
import { isMembership } from './membership.ts';
import { packMetadata } from './purchase.ts';
import { settleSubscription } from './settle-membership.ts';
import { asPaymentUnavailable, isMissing } from './stripe-client.ts';

export interface CheckoutContext extends BillingContext {
  readonly ledger: Ledger;
  /** Public URL of the portal: buyers return to its pages only. */
  readonly accountUrl: string;
}

export async function subscribe(context: CheckoutContext, account: Account): Promise<string> {
  if (isMember(account.membership, context.now())) {
    throw await alreadySubscribed(context, account);
  }
  const url = await asPaymentUnavailable(
    withCustomer(context, account, (customer) => membershipSession(context, account, customer)),
  );
  if (url === null) throw await alreadySubscribed(context, account);
  return url;
}

/**
 * Returns the URL of a checkout for a customer without a subscription; `null` if there is one, even
 * if it is not in the ledger yet. An open checkout is resumed and concurrent clicks share one,
 * since two checkouts could both be paid.
 */
async function membershipSession(
  context: CheckoutContext,
  account: Account,
  customer: string,
): Promise<string | null> {
  const { stripe, membershipPrices } = context;
  // Fetched first: anything paid after that shows up among the subscriptions.
  const last = await lastMembershipSession(stripe, customer);
  const subscriptions = await stripe.subscriptions.list({ customer, limit: 100 });
  const current = subscriptions.data.find((held) => isMembership(held, membershipPrices));
  if (current) {
    await settleSubscription(context, current.id);
    return null;
  }
  if (last?.status === 'open') return addressOf(last);
  const metadata = { account: account.id };
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'subscription',
      customer,
      line_items: [{ price: membershipPrices[0], quantity: 1 }],
      subscription_data: { metadata },
      ...common(context, account),
      metadata,
    },
    { idempotencyKey: `subscribe:${account.id}:after:${last?.id ?? 'none'}` },
  );
  return addressOf(session);
}

/**
 * Returns the customer's last checkout session for the membership. None is created while the last
 * is open, so there can be no other open one.
 */
async function lastMembershipSession(
  stripe: Stripe,
  customer: string,
): Promise<Stripe.Checkout.Session | undefined> {
  for await (const session of stripe.checkout.sessions.list({ customer, limit: 100 })) {
    if (session.mode === 'subscription') return session;
  }
  return undefined;
}

export function buyPack(
  context: CheckoutContext,
  account: Account,
  packId: PackId,
): Promise<string> {
  const { tokens, price_usd } = PLANS.token_packs.find(({ id }) => id === packId)!;
  const cents = price_usd * 100;
  const price_data = {
    currency: 'usd',
    unit_amount: cents,
    product_data: { name: counted(tokens, 'token') },
  };
  const session = withCustomer(context, account, (customer) =>
    context.stripe.checkout.sessions.create({
      mode: 'payment',
      customer,
      line_items: [{ price_data, quantity: 1 }],
      ...common(context, account),
      metadata: packMetadata(account.id, { tokens, cents }),
    }),
  );
  return asPaymentUnavailable(session.then(addressOf));
}

export function manage(context: CheckoutContext, account: Account): Promise<string> {
  const session = withCustomer(context, account, (customer) =>
    context.stripe.billingPortal.sessions.create({
      customer,
      return_url: `${context.accountUrl}${PAGE_PATHS.plan}`,
    }),
  );
  return asPaymentUnavailable(session.then(({ url }) => url));
}

function common({ accountUrl }: CheckoutContext, { id }: Account) {
  return {
    client_reference_id: id,
    success_url: `${accountUrl}${PAGE_PATHS.plan}?payment=done`,
    cancel_url: `${accountUrl}${PAGE_PATHS.plan}?payment=cancelled`,
    // Prices are in dollars, and payments are compared with them.
    adaptive_pricing: { enabled: false },
  };
}

/**
 * Runs an action as the account's customer, creating one if missing or deleted. If the account was
 * closed meanwhile, what was started is ended before it can be paid.
 */
async function withCustomer<T>(
  context: CheckoutContext,
  account: Account,
  act: (customer: string) => Promise<T>,
): Promise<T> {
  const done = await asCustomer(context, account, act);
  if ((await context.ledger.account(account.id))?.closedAtMs === null) return done;
  await endSubscriptions(context, account.id);
  throw new Problem('no-session', 'the account has been closed');
}

async function asCustomer<T>(
  context: CheckoutContext,
  account: Account,
  act: (customer: string) => Promise<T>,
): Promise<T> {
  const { customer } = account;
  if (customer === null) return act(await newCustomer(context, account));
  try {
    return await act(customer);
  } catch (error) {
    if (!isMissing(error, 'customer')) throw error;
    return act(await newCustomer(context, account));
  }
}

async function newCustomer({ stripe, ledger }: CheckoutContext, account: Account): Promise<string> {
  const { id: customer } = await stripe.customers.create(
    { ...(account.email !== null && { email: account.email }), metadata: { account: account.id } },
    { idempotencyKey: `customer:${account.id}:after:${account.customer ?? 'none'}` },
  );
  await ledger.setCustomer(account.id, customer);
  return customer;
}

async function alreadySubscribed(context: CheckoutContext, { id }: Account): Promise<Problem> {
  const account = await context.ledger.account(id);
  const portal_url = account?.customer ? await manage(context, account).catch(() => null) : null;
  return new Problem('already-subscribed', 'this account already has a membership', { portal_url });
}

function addressOf({ id, url }: Stripe.Checkout.Session): string {
  if (url === null) throw new Error(`the checkout session ${id} has no URL`);
  return url;
}

/**
 * Finds errors in the membership's prices that would let members pay and be granted nothing. `null`
 * if there are none, or if Stripe does not respond now. Former prices may differ in amount and are
 * no longer sold.
 */
export async function priceFault({
  stripe,
  membershipPrices,
}: BillingContext): Promise<string | null> {
  const { price_usd, interval } = PLANS.membership;
  for (const id of membershipPrices) {
    try {
      const price = await asPaymentUnavailable(stripe.prices.retrieve(id));
      const isDollars = price.currency === 'usd';
      const isOfInterval =
        price.recurring?.interval === interval && price.recurring.interval_count === 1;
      if (!isDollars || !isOfInterval) {
        return `price "${id}" must be in USD, billed every ${interval}`;
      }
      if (id !== membershipPrices[0]) continue;
      if (price.unit_amount !== MEMBERSHIP_CENTS) {
        return `price "${id}" must be ${price_usd} USD a ${interval}`;
      }
      if (!price.active) return `price "${id}" is archived at Stripe; activate it`;
    } catch (error) {
      if (!(error instanceof PaymentUnavailable)) throw error;
      return isMissing(error.cause) ? `Stripe has no price "${id}"` : null;
    }
  }
  return null;
}
