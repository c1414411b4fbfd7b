import { expect, test } from 'vitest';
import { PaymentUnavailable } from '../../portal/payment/billing-context.ts';
import {
  buyPack,
  type CheckoutContext,
  manage,
  priceFault,
  subscribe,
} from '../../portal/payment/checkout.ts';
import { WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { BY } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { MEMBERSHIP_PRICE, PaymentFixture } from '../support/payment-fixture.ts';
import { ofEachTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofEachTest(() => PaymentFixture.open(newAddress()));

const context = (): CheckoutContext => ({
  ...shop.billing(),
  ledger: shop.ledger,
  accountUrl: 'https://account.example.org',
});
const subscribing = async (id: string) => subscribe(context(), await shop.account(id));
const MANAGED =
  /^https:\/\/billing\.stripe\.test\/.*\?return=https%3A%2F%2Faccount\.example\.org%2Fmy%2Fplan$/;
const PLAN = 'https://account.example.org/my/plan';

test('a checkout belongs to the account, is in dollars, and leads back to the page of the plan', async () => {
  const id = await shop.newAccount('buyer@example.org');
  const urls = [
    await subscribing(id),
    await buyPack(context(), await shop.account(id), 'pack_50k'),
  ];
  const [membership, pack] = urls.map((url) => shop.sessionAt(url));
  const { customer } = await shop.account(id);
  const common = {
    customer,
    client_reference_id: id,
    currency: 'usd',
    adaptive_pricing: { enabled: false },
    success_url: `${PLAN}?payment=done`,
    cancel_url: `${PLAN}?payment=cancelled`,
  };
  expect(membership).toMatchObject({
    ...common,
    mode: 'subscription',
    amount_total: 1_000,
    metadata: { account: id },
  });
  expect(shop.books.orders.get(membership.id)).toMatchObject({
    price: { id: MEMBERSHIP_PRICE },
    subscriptionMetadata: { account: id },
  });
  expect(pack).toMatchObject({
    ...common,
    mode: 'payment',
    amount_total: 5_000,
    metadata: { account: id, tokens: '50000', cents: '5000' },
  });
  expect(shop.books.orders.get(pack.id)?.product).toBe('50,000 tokens');
  expect([...shop.books.customers.values()]).toMatchObject([
    { id: customer, email: 'buyer@example.org', metadata: { account: id } },
  ]);
});

test('an account without an address becomes a customer without one', async () => {
  const order = { email: null, grant: null, by: 'operator', atMs: shop.now() } as const;
  const { account } = await shop.ledger.openAccount(order);
  expect(await manage(context(), account)).toMatch(MANAGED);
  expect(shop.standIn.requests[0]).toBe('POST /v1/customers');
  expect([...shop.books.customers.values()]).toMatchObject([{ email: null }]);
});

test('concurrent purchases of one account create one customer, and another if that one is deleted', async () => {
  const id = await shop.newAccount();
  const customers: (string | null)[] = [];
  for (let deletions = 0; deletions <= 2; deletions++) {
    const account = await shop.account(id);
    await Promise.all([1, 2, 3].map(() => buyPack(context(), account, 'pack_10k')));
    const { customer } = await shop.account(id);
    customers.push(customer);
    expect([...shop.books.customers.keys()]).toEqual(customers);
    shop.books.customers.get(customer!)!.deleted = true;
  }
});

test('an open checkout of the membership is resumed, and an expired one is replaced by another', async () => {
  const id = await shop.newAccount();
  const first = await subscribing(id);
  await buyPack(context(), await shop.account(id), 'pack_10k');
  expect(await subscribing(id)).toBe(first);
  const other = await subscribing(await shop.newAccount());
  expect(other).not.toBe(first);
  shop.sessionAt(first).status = 'expired';
  const second = await subscribing(id);
  expect(second).not.toBe(first);
  shop.sessionAt(second).status = 'expired';
  expect([first, second]).not.toContain(await subscribing(id));
});

test('two concurrent requests for the membership get the same checkout', async () => {
  const id = await shop.newAccount();
  await manage(context(), await shop.account(id));
  for (let checkouts = 1; checkouts <= 2; checkouts++) {
    let other = '';
    shop.standIn.when('POST /v1/checkout/sessions', 'before', async () => {
      other = await subscribing(id);
    });
    expect(await subscribing(id)).toBe(other);
    shop.sessionAt(other).status = 'expired';
  }
  expect(shop.books.sessions.size).toBe(2);
});

test('a member is sold no second membership, but led to the page where the first is managed', async () => {
  const id = await shop.newAccount();
  await shop.subscribe(id);
  // The ledger has not been notified yet.
  const refused = { slug: 'already-subscribed', members: { portal_url: expect.any(String) } };
  await expect(subscribing(id)).rejects.toMatchObject(refused);
  expect((await shop.account(id)).membership?.status).toBe('active');
  const error = await subscribing(id).catch((thrown) => thrown);
  expect(error).toMatchObject({ message: 'this account already has a membership' });
  expect(error.members.portal_url).toMatch(MANAGED);
  shop.standIn.fault = 'error';
  const without = { slug: 'already-subscribed', members: { portal_url: null } };
  await expect(subscribing(id)).rejects.toMatchObject(without);
  // A member who never was a customer does not become one.
  shop.standIn.fault = 'none';
  const given = await shop.newAccount();
  await shop.ledger.setMembership(given, WITHOUT_END, BY);
  await expect(subscribing(given)).rejects.toMatchObject(without);
  expect((await shop.account(given)).customer).toBeNull();
});

test('a subscription to another product, of another customer, or one that has ended, is no membership', async () => {
  await shop.subscribe(await shop.newAccount());
  const id = await shop.newAccount();
  await manage(context(), await shop.account(id));
  const { customer } = await shop.account(id);
  const { books } = shop;
  books.subscribe(customer!, books.addPrice('price_other', 500), { account: id });
  const former = await shop.subscribe(id);
  books.cancel(former);
  await shop.deliverNew();
  expect(shop.sessionAt(await subscribing(id)).mode).toBe('subscription');
});

test('an account closed meanwhile gets no checkout, and leaves nothing that can be paid', async () => {
  const id = await shop.newAccount();
  shop.standIn.when('POST /v1/checkout/sessions', 'after', () => shop.ledger.closeAccount(id, BY));
  await expect(subscribing(id)).rejects.toMatchObject({
    slug: 'no-session',
    message: 'the account has been closed',
  });
  expect([...shop.books.sessions.values()].map(({ status }) => status)).toEqual(['expired']);
  const unknown = { ...(await shop.account(id)), id: 'unknown' };
  await expect(manage(context(), unknown)).rejects.toMatchObject({ slug: 'no-session' });
});

test('failures of Stripe are reported as such, and a checkout without a URL is named', async () => {
  const id = await shop.newAccount();
  const account = await shop.account(id);
  shop.standIn.fault = 'error';
  for (const buy of [
    () => subscribe(context(), account),
    () => buyPack(context(), account, 'pack_10k'),
    () => manage(context(), account),
  ]) {
    await expect(buy()).rejects.toThrow(PaymentUnavailable);
  }
  shop.standIn.fault = 'none';
  const session = shop.sessionAt(await subscribing(id));
  session.url = null;
  await expect(subscribing(id)).rejects.toThrow(`the checkout session ${session.id} has no URL`);
  // A former customer who is not found is replaced; anything else that is missing is an error.
  shop.books.prices.delete(MEMBERSHIP_PRICE);
  session.status = 'expired';
  await expect(subscribing(id)).rejects.toThrow(`No such line_items[0][price]`);
  expect(shop.books.customers.size).toBe(1);
});

test('the price on sale must be that of the plans, in dollars per month, and active; former amounts may differ', async () => {
  const { books } = shop;
  const good = books.prices.get(MEMBERSHIP_PRICE)!;
  const put = (id: string, members: object) => books.prices.set(id, { ...good, id, ...members });
  put('price_dear', { unit_amount: 1_001 });
  put('price_archived', { active: false });
  put('price_euro', { currency: 'eur' });
  put('price_once', { recurring: null });
  put('price_year', { recurring: { interval: 'year', interval_count: 1 } });
  put('price_quarter', { recurring: { interval: 'month', interval_count: 3 } });
  const faultOf = (sold: string, ...before: string[]) =>
    priceFault({ ...shop.billing(), membershipPrices: [sold, ...before] });
  expect(await faultOf(MEMBERSHIP_PRICE)).toBeNull();
  expect(await faultOf(MEMBERSHIP_PRICE, 'price_dear', 'price_archived')).toBeNull();
  expect(await faultOf('price_dear')).toBe('price "price_dear" must be 10 USD a month');
  expect(await faultOf('price_archived')).toBe(
    'price "price_archived" is archived at Stripe; activate it',
  );
  for (const id of ['price_euro', 'price_once', 'price_year', 'price_quarter']) {
    const fault = `price "${id}" must be in USD, billed every month`;
    expect(await faultOf(id)).toBe(fault);
    expect(await faultOf(MEMBERSHIP_PRICE, id)).toBe(fault);
  }
  expect(await faultOf(MEMBERSHIP_PRICE, 'price_gone')).toBe('Stripe has no price "price_gone"');
  shop.standIn.fault = 'error';
  expect(await faultOf('price_gone')).toBeNull();
});
