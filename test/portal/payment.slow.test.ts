import { expect, test } from 'vitest';
import { isMember } from '../../proxy/ledger/accounts.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { DAY, MEMBERSHIP_PRICE, PaymentFixture } from '../support/payment-fixture.ts';
import type { StripeEvent } from '../support/stripe-stand-in/objects.ts';
import { ofTests } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofTests(() => PaymentFixture.open(newAddress()));

const member = async () => {
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  await shop.deliverNew();
  return { id, subscription };
};
const invoicesOf = (subscription: string) =>
  [...shop.books.invoices.values()].filter(
    ({ parent }) => parent?.subscription_details.subscription === subscription,
  );

test('a membership starts with its first payment, and renews with 10,000 tokens each month', async () => {
  const { id, subscription } = await member();
  const [{ current_period_end: end }] = subscription.items.data;
  const begun = await shop.standing(id);
  expect(begun).toMatchObject({ balance: 10_000, addsUp: true });
  expect(begun.membership).toEqual({
    status: 'active',
    untilMs: (end + 3 * DAY) * 1000,
    renewsAtMs: end * 1000,
    subscription: subscription.id,
  });
  shop.books.advance(61 * DAY);
  expect(await shop.reported(id)).toMatchObject({
    balance: 30_000,
    addsUp: true,
    membership: { status: 'active', renewsAtMs: (end + 60 * DAY) * 1000 },
  });
  const causes = (await shop.ledger.grants(id)).map(({ cause }) => cause);
  expect(causes).toEqual(invoicesOf(subscription.id).map((invoice) => `invoice:${invoice.id}`));
});

test('a failed payment leaves some days of grace; then the membership lapses until the next payment', async () => {
  const { id, subscription } = await member();
  const [item] = subscription.items.data;
  const paidUntil = item.current_period_end;
  shop.books.withoutMoney.add(subscription.customer);
  shop.books.advance(30 * DAY + 60);
  const { membership, balance } = await shop.reported(id);
  expect(membership).toMatchObject({
    status: 'past_due',
    untilMs: (paidUntil + 3 * DAY) * 1000,
    renewsAtMs: null,
  });
  expect(balance).toBe(10_000);
  expect(isMember(membership, shop.now())).toBe(true);
  shop.books.advance(3 * DAY);
  expect(isMember((await shop.reported(id)).membership, shop.now())).toBe(false);
  shop.books.withoutMoney.delete(subscription.customer);
  shop.books.advance(3 * DAY);
  expect(await shop.reported(id)).toMatchObject({
    balance: 20_000,
    addsUp: true,
    membership: { status: 'active', renewsAtMs: item.current_period_end * 1000 },
  });
});

test('after the last failed attempt at payment the subscription ends, and the tokens stay', async () => {
  const { id, subscription } = await member();
  shop.books.withoutMoney.add(subscription.customer);
  shop.books.advance(45 * DAY);
  expect(await shop.reported(id)).toEqual({ balance: 10_000, membership: null, addsUp: true });
});

test('a cancelled membership lasts to the end of the paid period, unless it is resumed', async () => {
  const { id, subscription } = await member();
  const [item] = subscription.items.data;
  shop.books.cancelAtPeriodEnd(subscription);
  expect((await shop.reported(id)).membership).toEqual({
    status: 'ending',
    untilMs: item.current_period_end * 1000,
    renewsAtMs: null,
    subscription: subscription.id,
  });
  shop.books.cancelAtPeriodEnd(subscription, false);
  expect((await shop.reported(id)).membership?.status).toBe('active');
  shop.books.cancelAtPeriodEnd(subscription);
  shop.books.advance(31 * DAY);
  expect(await shop.reported(id)).toEqual({ balance: 10_000, membership: null, addsUp: true });
});

test('grants a pack when its money arrives, by card at once and by bank later', async () => {
  const id = await shop.newAccount();
  await shop.buyPack(id, 'pack_10k');
  const later = await shop.buyPack(id, 'pack_50k', 'bank');
  expect((await shop.reported(id)).balance).toBe(10_000);
  shop.books.moneyArrives(later);
  expect(await shop.reported(id)).toMatchObject({ balance: 60_000, addsUp: true });
});

test('a refund takes tokens in proportion to the money; a full refund, in any number of parts, takes all', async () => {
  const id = await shop.newAccount();
  const charge = shop.books.chargeOf(await shop.buyPack(id, 'pack_10k'));
  shop.books.refund(charge, 400);
  // A third of the 1,200 cents is worth 3,333 and a third of the 10,000 tokens.
  expect((await shop.reported(id)).balance).toBe(10_000 - 3_333);
  shop.books.advance(60);
  shop.books.refund(charge, 400);
  expect((await shop.reported(id)).balance).toBe(10_000 - 6_666);
  shop.books.advance(60);
  shop.books.refund(charge, 400);
  expect(await shop.reported(id)).toMatchObject({ balance: 0, addsUp: true });
});

test('a dispute takes tokens while it is open or lost, and gives them back when won', async () => {
  const id = await shop.newAccount();
  const charge = shop.books.chargeOf(await shop.buyPack(id, 'pack_50k'));
  const inquiry = shop.books.dispute(charge, 5_000, true);
  expect((await shop.reported(id)).balance).toBe(50_000);
  shop.books.closeDispute(inquiry, 'warning_closed');
  await shop.use(id, 20_000);
  const dispute = shop.books.dispute(charge, 5_000);
  expect((await shop.reported(id)).balance).toBe(0);
  shop.books.closeDispute(dispute, 'won');
  expect(await shop.reported(id)).toMatchObject({ balance: 30_000, addsUp: true });

  // Banks change their minds: the dispute is lost after all, and eventually won.
  for (const [status, balance] of [
    ['lost', 0],
    ['won', 30_000],
    ['lost', 0],
    ['won', 30_000],
  ] as const) {
    shop.books.closeDispute(dispute, status);
    expect(await shop.reported(id)).toMatchObject({ balance, addsUp: true });
  }

  const other = shop.books.chargeOf(await shop.buyPack(id, 'pack_10k'));
  const lost = shop.books.dispute(other, 1_200);
  await shop.deliverNew();
  shop.books.closeDispute(lost, 'lost');
  expect(await shop.reported(id)).toMatchObject({ balance: 30_000, addsUp: true });
});

test('a refund reported before its payment leaves no tokens', async () => {
  const id = await shop.newAccount();
  const session = await shop.buyPack(id, 'pack_10k');
  shop.books.refund(shop.books.chargeOf(session), 1_200);
  const subscription = await shop.subscribe(id);
  shop.books.refund(shop.books.chargeOf(invoicesOf(subscription.id)[0]), 1_000);
  const events = shop.books.events.splice(0);
  const isRefund = ({ type }: StripeEvent) => type === 'refund.created';
  await shop.deliver(events.filter(isRefund));
  expect((await shop.standing(id)).balance).toBe(0);
  expect(await shop.ledger.grants(id)).toHaveLength(4);
  await shop.deliver(events.filter((event) => !isRefund(event)));
  expect(await shop.standing(id)).toMatchObject({ balance: 0, addsUp: true });
  expect((await shop.ledger.grants(id)).map(({ tokens }) => Math.abs(tokens))).toEqual([
    10_000, 10_000, 10_000, 10_000,
  ]);
});

test('a month paid by coupon or Stripe balance, even in part, counts; credit for the rest of a month does not', async () => {
  const { id, subscription } = await member();
  const { customer } = subscription;
  shop.books.balances.set(customer, 400);
  shop.books.advance(30 * DAY);
  expect((await shop.reported(id)).balance).toBe(20_000);
  // The card paid 600 of the 1,000 cents.
  shop.books.refund(shop.books.chargeOf(invoicesOf(subscription.id)[1]), 600);
  expect((await shop.reported(id)).balance).toBe(14_000);
  shop.books.coupons.set(customer, 1_000);
  shop.books.advance(30 * DAY);
  expect(await shop.reported(id)).toMatchObject({ balance: 24_000, addsUp: true });
  shop.books.coupons.delete(customer);
  shop.books.bill(subscription, 'subscription_cycle', 1_000, 970);
  expect((await shop.reported(id)).balance).toBe(24_000);
  shop.books.cancel(subscription);
});

test('when the price changes, the new price is sold, and subscribers at the old price renew and stay', async () => {
  const { id, subscription } = await member();
  const lapsing = await member();
  const newer = shop.books.addPrice('price_newer', 800);
  shop.membershipPrices = [newer.id, MEMBERSHIP_PRICE];
  await shop.restart();
  const other = await shop.newAccount();
  const { items } = await shop.subscribe(other);
  expect(items.data[0].price.id).toBe(newer.id);
  await expect(shop.subscribe(id)).rejects.toThrow('has a membership');
  shop.books.withoutMoney.add(lapsing.subscription.customer);
  shop.books.advance(30 * DAY + 60);
  await shop.deliverNew();
  for (const account of [id, other]) {
    expect(await shop.standing(account)).toMatchObject({
      balance: 20_000,
      addsUp: true,
      membership: { status: 'active' },
    });
  }
  expect((await shop.standing(lapsing.id)).membership?.status).toBe('past_due');
  // The end of a subscription is found even without an event.
  shop.books.advance(30 * DAY);
  shop.books.cancel(subscription);
  shop.books.events.length = 0;
  await shop.reconcile();
  expect(await shop.standing(id)).toMatchObject({ balance: 30_000, membership: null });
  shop.membershipPrices = [MEMBERSHIP_PRICE];
  await shop.restart();
});

test('reconciling since a moment finds objects created long before it, and changed since', async () => {
  const id = await shop.newAccount();
  const { books } = shop;
  const refunded = books.chargeOf(await shop.buyPack(id, 'pack_50k'));
  const disputed = books.chargeOf(await shop.buyPack(id, 'pack_250k'));
  const dispute = books.dispute(disputed, disputed.amount);
  books.advance(70 * DAY);
  const refund = books.refund(refunded, 5_000);
  books.advance(10 * DAY);
  const renewing = await member();
  books.withoutMoney.add(renewing.subscription.customer);
  books.advance(5 * DAY);
  const byBank = await shop.buyPack(id, 'pack_10k', 'bank');
  // The membership was renewed a minute before, and is not paid yet.
  books.advance(renewing.subscription.items.data[0].current_period_end - books.now + 60);
  expect((await shop.reported(id)).balance).toBe(0);
  const sinceMs = shop.now() + 1;
  books.withoutMoney.clear();
  books.advance(10 * DAY);
  books.failRefund(refund);
  books.moneyArrives(byBank);
  books.closeDispute(dispute, 'won');
  books.events.length = 0;
  await shop.reconcile(sinceMs);
  expect(await shop.standing(id)).toMatchObject({ balance: 310_000, addsUp: true });
  expect((await shop.standing(renewing.id)).balance).toBe(20_000);
  books.cancel(renewing.subscription);
});
