import { expect, test } from 'vitest';
import { NOTHING } from '../../portal/payment/billing-context.ts';
import { settleSubscription } from '../../portal/payment/settle-membership.ts';
import { type Membership, WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { BY } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { DAY, MEMBERSHIP_PRICE, PaymentFixture } from '../support/payment-fixture.ts';
import { ofTests } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofTests(() => PaymentFixture.open(newAddress()));

const CHANGED = { ...NOTHING, membershipsChanged: 1 };
const settle = (id: string) => settleSubscription(shop.billing(), id);
/** Creates a subscription for an account, as an operator does at Stripe. */
const subscribed = (account: string, customer = shop.books.addCustomer(null, {}).id) =>
  shop.books.subscribe(customer, shop.books.prices.get(MEMBERSHIP_PRICE)!, { account });
const membershipOf = async (id: string) => (await shop.account(id)).membership;

test('a subscription gives its account a membership and a customer, once', async () => {
  const id = await shop.newAccount();
  const subscription = subscribed(id);
  const longer = subscribed(await shop.newAccount());
  longer.items.data[0].current_period_end += 300 * DAY;
  expect(await settle(subscription.id)).toEqual(CHANGED);
  expect(await shop.account(id)).toMatchObject({
    customer: subscription.customer,
    membership: { status: 'active', subscription: subscription.id },
  });
  expect(await settle(subscription.id)).toEqual(NOTHING);
  const [changed] = await shop.ledger.audit(id);
  expect(changed).toMatchObject({ what: 'membership-changed', by: 'payment', atMs: shop.now() });
});

test('a subscription that belongs to none of our accounts changes nothing', async () => {
  const elsewhere = subscribed('of another service');
  expect(await settle(elsewhere.id)).toEqual(NOTHING);
  const { customer } = elsewhere;
  const price = shop.books.prices.get(MEMBERSHIP_PRICE)!;
  expect(await settle(shop.books.subscribe(customer, price, {}).id)).toEqual(NOTHING);
});

test('any difference from Stripe is corrected, and counted as a change', async () => {
  const id = await shop.newAccount();
  const subscription = subscribed(id);
  await settle(subscription.id);
  const right = (await membershipOf(id))!;
  const wrong: readonly (Membership | null)[] = [
    null,
    { ...right, status: 'past_due' },
    { ...right, untilMs: right.untilMs! + 1 },
    { ...right, renewsAtMs: right.renewsAtMs! + 1 },
    { ...right, subscription: 'sub_of_before' },
  ];
  for (const one of wrong) {
    await shop.ledger.setMembership(id, one, BY);
    expect(await settle(subscription.id)).toEqual(CHANGED);
    expect(await membershipOf(id)).toEqual(right);
  }
  shop.books.cancel(subscription);
  expect(await settle(subscription.id)).toEqual(CHANGED);
  expect(await membershipOf(id)).toBeNull();
  expect(await settle(subscription.id)).toEqual(NOTHING);
});

test('a membership given by an operator stays', async () => {
  const id = await shop.newAccount();
  await shop.ledger.setMembership(id, WITHOUT_END, BY);
  expect(await settle(subscribed(id).id)).toEqual(NOTHING);
  expect(await membershipOf(id)).toEqual(WITHOUT_END);
});

test('subscriptions of an account’s former customer and of a new one count together', async () => {
  const id = await shop.newAccount();
  const first = subscribed(id);
  await settle(first.id);
  const second = subscribed(id);
  second.items.data[0].current_period_end += DAY;
  expect(await settle(second.id)).toEqual(CHANGED);
  expect(await shop.account(id)).toMatchObject({
    customer: first.customer,
    membership: { subscription: second.id },
  });
  first.items.data[0].current_period_end += 2 * DAY;
  await settle(second.id);
  expect((await membershipOf(id))?.subscription).toBe(first.id);
  // A customer deleted at Stripe has no subscriptions.
  shop.books.customers.get(first.customer)!.deleted = true;
  await settle(second.id);
  expect((await membershipOf(id))?.subscription).toBe(second.id);
});

test('a failure at Stripe leaves the membership as it was', async () => {
  const id = await shop.newAccount();
  const subscription = subscribed(id);
  await settle(subscription.id);
  const before = await membershipOf(id);
  shop.standIn.faultAt.set('GET /v1/subscriptions', 403);
  await expect(settle(subscription.id)).rejects.toThrow('not this one');
  shop.standIn.faultAt.clear();
  expect(await membershipOf(id)).toEqual(before);
});

test('a past-due membership lasts for the usual days of grace after its last paid month', async () => {
  const id = await shop.newAccount();
  const subscription = subscribed(id);
  const paid = [...shop.books.invoices.values()].at(-1)!;
  const [line] = paid.lines.data;
  const later = { ...line, period: { ...line.period, end: line.period.end + 5 * DAY } };
  const other = {
    ...later,
    period: { ...line.period, end: line.period.end + 90 * DAY },
    pricing: { price_details: { price: 'price_other' } },
  };
  Object.assign(paid.lines, { data: [line, later, line, other] });
  // Another account pays later.
  subscribed(await shop.newAccount());
  subscription.status = 'past_due';
  await settle(subscription.id);
  expect(await membershipOf(id)).toEqual({
    status: 'past_due',
    untilMs: (line.period.end + (5 + 3) * DAY) * 1000,
    renewsAtMs: null,
    subscription: subscription.id,
  });
  // A month has been billed since, and is not paid.
  shop.books.withoutMoney.add(subscription.customer);
  shop.books.bill(subscription, 'subscription_cycle');
  expect(await settle(subscription.id)).toEqual(NOTHING);
  // No month was ever paid.
  paid.status = 'void';
  expect(await settle(subscription.id)).toEqual(CHANGED);
  expect(await membershipOf(id)).toBeNull();
  // A month was paid, but of another product.
  paid.status = 'paid';
  Object.assign(paid.lines, { data: [other] });
  expect(await settle(subscription.id)).toEqual(NOTHING);
});

test('a closed account’s subscriptions end, for each of its customers at Stripe', async () => {
  const id = await shop.newAccount();
  const first = subscribed(id);
  await settle(first.id);
  await shop.ledger.closeAccount(id, BY);
  const second = subscribed(id);
  expect(await settle(second.id)).toEqual(NOTHING);
  expect([first.status, second.status]).toEqual(['canceled', 'canceled']);
});

test('a membership that is written just after its account was closed is removed', async () => {
  const id = await shop.newAccount();
  const subscription = subscribed(id);
  shop.standIn.when('GET /v1/subscriptions', 'after', () => shop.ledger.closeAccount(id, BY));
  expect(await settle(subscription.id)).toEqual(CHANGED);
  expect(await membershipOf(id)).toBeNull();
  expect(subscription.status).toBe('canceled');
  const [last] = await shop.ledger.audit(id);
  expect(last).toMatchObject({ what: 'membership-changed', by: 'payment', atMs: shop.now() });
});

test('a subscription that changes whenever it is read is reported, and settled once it is stable', async () => {
  const id = await shop.newAccount();
  const subscription = subscribed(id);
  const [period] = subscription.items.data;
  let reads = 0;
  const change = async () => {
    reads++;
    period.current_period_end += 60;
    shop.standIn.when('GET /v1/subscriptions', 'before', change);
  };
  shop.standIn.when('GET /v1/subscriptions', 'before', change);
  await expect(settle(subscription.id)).rejects.toThrow(
    `the membership of ${id} is changing too fast to be settled`,
  );
  expect(reads).toBe(5);
  shop.standIn.when('none', 'before', async () => {});
  await settle(subscription.id);
  expect((await membershipOf(id))?.renewsAtMs).toBe(period.current_period_end * 1000);
});
