import fc from 'fast-check';
import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import {
  isMembership,
  type KnownSubscription,
  membershipOf,
} from '../../portal/payment/membership.ts';
import { isMember } from '../../proxy/ledger/accounts.ts';
import { MEMBERSHIP_GRACE_DAYS } from '../../proxy/plans.ts';
import { forAll } from '../support/for-all.ts';

const DAY_SECONDS = 86_400;
const PRICES = ['price_sold', 'price_former'] as const;

/** A subscription, with times in whole days. */
interface Held {
  readonly prices: readonly string[];
  readonly status: Stripe.Subscription.Status;
  readonly periodEnd: number;
  readonly end: 'none' | 'period' | number;
  readonly paidUntil: number | null;
}

const held = fc.record({
  prices: fc.array(fc.constantFrom(...PRICES, 'price_other'), { maxLength: 2 }),
  status: fc.constantFrom(
    'active',
    'trialing',
    'past_due',
    'unpaid',
    'paused',
    'canceled',
    'incomplete',
    'incomplete_expired',
  ),
  // Few days, so that subscriptions often end together.
  periodEnd: fc.integer({ min: 1, max: 6 }),
  end: fc.oneof(
    fc.constantFrom('none' as const, 'period' as const),
    fc.integer({ min: 1, max: 12 }),
  ),
  paidUntil: fc.option(fc.nat(6)),
}) satisfies fc.Arbitrary<Held>;

function known({ prices, status, periodEnd, end, paidUntil }: Held, place = 0): KnownSubscription {
  const cancelAt = end === 'none' ? null : end === 'period' ? periodEnd : end;
  const subscription = {
    id: `sub_${place}`,
    status,
    cancel_at: cancelAt === null ? null : cancelAt * DAY_SECONDS,
    cancel_at_period_end: end === 'period',
    items: {
      data: prices.map((price) => ({
        price: { id: price },
        current_period_end: periodEnd * DAY_SECONDS,
      })),
    },
  } as unknown as Stripe.Subscription;
  return { subscription, paidUntilMs: paidUntil === null ? null : paidUntil * DAY_SECONDS * 1000 };
}

const isOurs = ({ prices }: Held) => prices.some((price) => price !== 'price_other');
const isRunning = ({ status }: Held) => status === 'active' || status === 'trialing';
const renews = ({ end, periodEnd }: Held) =>
  end === 'none' || (end !== 'period' && end > periodEnd);

/** Whether a subscription makes its customer a member on a day. */
function covers(one: Held, day: number): boolean {
  if (!isOurs(one)) return false;
  if (one.status === 'past_due') {
    return one.paidUntil !== null && day < one.paidUntil + MEMBERSHIP_GRACE_DAYS;
  }
  if (!isRunning(one)) return false;
  if (renews(one)) return day < one.periodEnd + MEMBERSHIP_GRACE_DAYS;
  return day < (one.end === 'period' ? one.periodEnd : (one.end as number));
}

test('a customer is a member on the days that any subscription covers, by the one that lasts longest', () =>
  forAll(500, fc.array(held, { maxLength: 4 }), (subscriptions) => {
    const membership = membershipOf(
      subscriptions.map((one, i) => known(one, i)),
      PRICES,
    );
    for (let day = 0; day < 20; day++) {
      const isCovered = subscriptions.some((one) => covers(one, day));
      expect(isMember(membership, day * DAY_SECONDS * 1000)).toBe(isCovered);
    }
    if (membership === null) return;
    const giving = subscriptions[Number(membership.subscription!.slice('sub_'.length))];
    const status = isRunning(giving) ? (renews(giving) ? 'active' : 'ending') : 'past_due';
    expect(membership.status).toBe(status);
    expect(membership.renewsAtMs).toBe(
      status === 'active' ? giving.periodEnd * DAY_SECONDS * 1000 : null,
    );
    const lastsAsLong = (one: Held) => covers(one, membership.untilMs! / DAY_SECONDS / 1000 - 1);
    // The first of equally long subscriptions, so that settling twice changes nothing.
    expect(subscriptions.find((one) => isOurs(one) && lastsAsLong(one))).toBe(giving);
  }));

test('a subscription is to the membership from its first payment to its end, at any of its prices', () =>
  forAll(200, held, (one) => {
    const isOver = ['canceled', 'incomplete', 'incomplete_expired'].includes(one.status);
    expect(isMembership(known(one).subscription, PRICES)).toBe(isOurs(one) && !isOver);
  }));
