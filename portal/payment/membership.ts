import type Stripe from 'stripe';
import type { Membership } from '../../proxy/ledger/accounts.ts';
import { MEMBERSHIP_GRACE_DAYS } from '../../proxy/plans.ts';
import type { MembershipPrices } from './billing-context.ts';

/** A subscription, and the end of its paid time if the payment for its current period failed. */
export interface KnownSubscription {
  readonly subscription: Stripe.Subscription;
  readonly paidUntilMs: number | null;
}

/** The membership granted by a customer's subscriptions: the longest-lasting one, or none. */
export function membershipOf(
  subscriptions: readonly KnownSubscription[],
  prices: MembershipPrices,
): Membership | null {
  let longest: (Membership & { readonly untilMs: number }) | null = null;
  for (const known of subscriptions) {
    const membership = membershipBy(known, prices);
    if (membership && (!longest || membership.untilMs > longest.untilMs)) longest = membership;
  }
  return longest;
}

export function isMembership(subscription: Stripe.Subscription, prices: MembershipPrices): boolean {
  return !OVER.has(subscription.status) && itemOf(subscription, prices) !== undefined;
}

const OVER: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired']);

/**
 * Returns the membership granted by a subscription, if any. A renewing one extends some days past
 * the paid period, since the payment, or its event, may be late. One that does not renew ends with
 * the paid period.
 */
function membershipBy({ subscription, paidUntilMs }: KnownSubscription, prices: MembershipPrices) {
  const item = itemOf(subscription, prices);
  if (!item) return null;
  const periodEndMs = item.current_period_end * 1000;
  const { id, status, cancel_at, cancel_at_period_end } = subscription;
  if (status === 'active' || status === 'trialing') {
    const endMs = cancel_at_period_end ? periodEndMs : cancel_at === null ? null : cancel_at * 1000;
    if (endMs !== null && endMs <= periodEndMs) {
      return { status: 'ending', untilMs: endMs, renewsAtMs: null, subscription: id } as const;
    }
    const untilMs = periodEndMs + GRACE_MS;
    return { status: 'active', untilMs, renewsAtMs: periodEndMs, subscription: id } as const;
  }
  if (status !== 'past_due' || paidUntilMs === null) return null;
  const untilMs = paidUntilMs + GRACE_MS;
  return { status: 'past_due', untilMs, renewsAtMs: null, subscription: id } as const;
}

function itemOf({ items }: Stripe.Subscription, prices: MembershipPrices) {
  return items.data.find(({ price }) => prices.includes(price.id));
}

const GRACE_MS = MEMBERSHIP_GRACE_DAYS * 24 * 60 * 60 * 1000;
