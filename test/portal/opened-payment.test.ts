import { expect, test } from 'vitest';
import { PaymentUnavailable } from '../../portal/payment/billing-context.ts';
import {
  endSubscriptionsWith,
  openPayment,
  reconcileWith,
} from '../../portal/payment/open-payment.ts';
import { WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import type { PaymentEvent } from '../../proxy/ledger/payment-events.ts';
import { BY } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { LONG_LIMITS, MEMBERSHIP_PRICE, PaymentFixture } from '../support/payment-fixture.ts';
import { ofEachTest, ofThisTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofEachTest(() => PaymentFixture.open(newAddress()));

const settings = () => {
  const { address: apiUrl, secretKey, webhookSecret } = shop.standIn;
  return { apiUrl, secretKey, webhookSecret, membershipPrices: [MEMBERSHIP_PRICE] } as const;
};
const events = () => shop.ledger.openEvents(10);
const nextEvent = () => shop.standIn.sign(shop.books.events.shift()!);

test('an event is stored once, before anything else, and then settled without a further call', async () => {
  const id = await shop.newAccount();
  shop.standIn.fault = 'error';
  shop.books.tell('customer.created', shop.books.addCustomer(null, {}));
  const { body: useless, signature: valid } = nextEvent();
  await shop.payment.receive(useless, valid);
  expect(await events()).toEqual([]);
  shop.standIn.fault = 'none';
  await shop.buyPack(id, 'pack_10k');
  const { body, signature } = nextEvent();
  for (const forged of ['', undefined]) {
    await expect(shop.payment.receive(body, forged)).rejects.toThrow('Stripe-Signature');
  }
  await shop.payment.receive(body, signature);
  await expect.poll(async () => (await shop.account(id)).balance).toBe(10_000);
  await expect.poll(events).toEqual([]);
  // A settled event causes no further request.
  const asked = shop.standIn.requests.length;
  await shop.payment.receive(body, signature);
  await shop.payment.settleOpenEvents();
  expect(shop.standIn.requests).toHaveLength(asked);
});

test('events stored before the start are settled after it, and failures are reported with their event', async () => {
  const id = await shop.newAccount();
  const session = await shop.buyPack(id, 'pack_10k');
  await shop.payment.close();
  const event = { id: 'evt_1', type: 'invoice.paid', object: 'in_lost', receivedAtMs: shop.now() };
  await shop.ledger.storeEvent(event);
  const paid = { ...event, id: 'evt_2', type: 'checkout.session.completed', object: session.id };
  await shop.ledger.storeEvent(paid);
  // A closed payment does nothing any more.
  const asked = shop.standIn.requests.length;
  await shop.payment.settleOpenEvents();
  expect(shop.standIn.requests).toHaveLength(asked);
  const own = { settings: settings(), ledger: shop.ledger, accountUrl: 'https://a.example' };
  const payment = await ofThisTest(openPayment({ ...own, now: shop.now }));
  const failures: [string, PaymentEvent | undefined][] = [];
  payment.start((error, of) => failures.push([(error as Error).message, of]));
  await expect.poll(async () => (await shop.account(id)).balance).toBe(10_000);
  await expect.poll(() => failures).toEqual([["No such invoice: 'in_lost'", event]]);
  await expect.poll(events).toEqual([event]);
});

test('an event that takes too long is left for later', async () => {
  const id = await shop.newAccount();
  const session = await shop.buyPack(id, 'pack_10k');
  shop.standIn.faultAt.set(`GET /v1/checkout/sessions/${session.id}`, 'stall');
  await shop.limit({ ...LONG_LIMITS, settleWithinMs: 300 });
  await shop.deliverNew();
  expect(shop.errors).toEqual([new PaymentUnavailable('Stripe did not respond within 300 ms')]);
  expect(await events()).toHaveLength(1);
});

test('closing an account stores one event per five minutes, settled once the account is closed', async () => {
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  await shop.deliverNew();
  const account = await shop.account(id);
  // Advances to the beginning of a period.
  shop.books.advance(300 - (shop.books.now % 300));
  const [beganAtMs, period] = [shop.now(), shop.books.now / 300];
  const closing = (id: string, number: number, receivedAtMs: number) => ({
    id: `account.closed:${id}:${number}`,
    type: 'account.closed',
    object: id,
    receivedAtMs,
  });
  await shop.payment.endSubscription(account);
  shop.books.advance(299);
  await shop.payment.endSubscription(account);
  expect(await events()).toEqual([closing(id, period, beganAtMs)]);
  shop.books.advance(1);
  await shop.payment.endSubscription(account);
  expect((await events())[1]).toEqual(closing(id, period + 1, shop.now()));
  await shop.payment.settleOpenEvents();
  expect(subscription.status).toBe('active');
  await shop.ledger.closeAccount(id, BY);
  await shop.payment.endSubscription(account);
  await expect.poll(() => subscription.status).toBe('canceled');
});

test('a purchase while Stripe fails gets a problem type of its own, and is reported', async () => {
  const id = await shop.newAccount();
  const account = await shop.account(id);
  shop.standIn.fault = 'error';
  const { payment } = shop;
  for (const purchase of [
    () => payment.subscribe(account),
    () => payment.buyPack(account, 'pack_10k'),
    () => payment.manage(account),
  ]) {
    await expect(purchase()).rejects.toMatchObject({
      slug: 'payment-unavailable',
      message: 'the payment processor is not responding; nothing was purchased',
      members: {},
      headers: { 'retry-after': expect.any(String) },
    });
  }
  expect(shop.errors).toHaveLength(3);
  for (const error of shop.errors) expect(error).toBeInstanceOf(PaymentUnavailable);
  await shop.ledger.setMembership(id, WITHOUT_END, BY);
  const given = payment.subscribe(await shop.account(id));
  await expect(given).rejects.toMatchObject({ slug: 'already-subscribed' });
  expect(shop.errors).toHaveLength(3);
  expect(await payment.priceFault()).toBeNull();
  shop.standIn.fault = 'none';
  shop.books.prices.clear();
  expect(await payment.priceFault()).toBe(`Stripe has no price "${MEMBERSHIP_PRICE}"`);
});

test('a membership has a page to manage it if its customer pays for it', async () => {
  const id = await shop.newAccount();
  const open = await shop.account(id);
  expect(shop.payment.portalUrl(open)).toBeNull();
  await shop.subscribe(id);
  await shop.deliverNew();
  const member = await shop.account(id);
  const { membership } = member;
  const url = 'https://account.example.org/billing/portal';
  expect(shop.payment.portalUrl(member)).toBe(url);
  expect(shop.payment.portalUrl({ ...member, membership: WITHOUT_END })).toBeNull();
  expect(shop.payment.portalUrl({ ...member, membership: null })).toBeNull();
  expect(shop.payment.portalUrl({ ...open, membership })).toBeNull();
});

test('commands reconcile, end subscriptions, and report failures of Stripe', async () => {
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  expect(await reconcileWith(settings(), shop.ledger, null)).toMatchObject({
    invoices: 1,
    tokensGranted: 10_000,
  });
  await endSubscriptionsWith(settings(), shop.ledger, id);
  expect(subscription.status).toBe('canceled');
  shop.standIn.fault = 'error';
  for (const failing of [
    () => reconcileWith(settings(), shop.ledger, null),
    () => endSubscriptionsWith(settings(), shop.ledger, id),
  ]) {
    await expect(failing()).rejects.toThrow(new PaymentUnavailable('Stripe: out of order'));
  }
  shop.standIn.fault = 'stall';
  const impatient = { ...settings(), timeoutMs: 100 };
  await expect(reconcileWith(impatient, shop.ledger, null)).rejects.toThrow(PaymentUnavailable);
});
