import { expect, test } from 'vitest';
import { NOTHING } from '../../portal/payment/billing-context.ts';
import {
  endSubscriptions,
  endSubscriptionsOnceClosed,
} from '../../portal/payment/end-subscriptions.ts';
import { BY } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { PaymentFixture } from '../support/payment-fixture.ts';
import { ofEachTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofEachTest(() => PaymentFixture.open(newAddress()));

const MINUTE_MS = 60_000;

/** Creates a subscriber with some checkouts that are still open. */
async function subscriber(checkouts: number) {
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  await shop.deliverNew();
  const account = await shop.account(id);
  const urls = [];
  for (let i = 0; i < checkouts; i++) urls.push(await shop.payment.buyPack(account, 'pack_10k'));
  return { id, subscription, sessions: urls.map((url) => shop.sessionAt(url)) };
}

const end = (id: string) => endSubscriptions(shop.billing(), id);

test('after a closing, nothing that the customer has begun can be paid, and nothing of others ends', async () => {
  const { id, subscription, sessions } = await subscriber(21);
  const other = await subscriber(1);
  expect(await end(id)).toEqual(NOTHING);
  expect(sessions.map(({ status }) => status)).toEqual(sessions.map(() => 'expired'));
  expect(subscription.status).toBe('canceled');
  expect([other.subscription.status, other.sessions[0].status]).toEqual(['active', 'open']);
  const asked = shop.standIn.requests.length;
  await end(id);
  expect(shop.standIn.requests.slice(asked)).toEqual([
    'GET /v1/checkout/sessions',
    'GET /v1/subscriptions',
  ]);
});

test('nothing is requested from Stripe for an account that is unknown or was never a customer', async () => {
  expect(await end('unknown')).toEqual(NOTHING);
  expect(await end(await shop.newAccount())).toEqual(NOTHING);
  expect(shop.standIn.requests).toEqual([]);
});

test('a checkout or subscription that ends at the moment of a closing counts as ended', async () => {
  const { id, subscription, sessions } = await subscriber(1);
  const [session] = sessions;
  shop.standIn.when(`POST /v1/checkout/sessions/${session.id}/expire`, 'before', async () => {
    shop.books.pay(session);
    shop.standIn.when(`DELETE /v1/subscriptions/${subscription.id}`, 'before', async () => {
      shop.books.cancel(subscription);
    });
  });
  await end(id);
  expect([session.status, subscription.status]).toEqual(['complete', 'canceled']);
});

test('a checkout or subscription that Stripe refuses to end is an error, as is a failure of Stripe', async () => {
  const { id, subscription, sessions } = await subscriber(1);
  const expiry = `POST /v1/checkout/sessions/${sessions[0].id}/expire`;
  const cancelling = `DELETE /v1/subscriptions/${subscription.id}`;
  for (const request of [expiry, cancelling]) {
    for (const status of [400, 500] as const) {
      shop.standIn.faultAt.set(request, status);
      await expect(end(id)).rejects.toThrow('not this one');
      shop.standIn.faultAt.clear();
    }
  }
  expect([sessions[0].status, subscription.status]).toEqual(['expired', 'active']);
  const asked = shop.standIn.requests.length;
  shop.standIn.faultAt.set(cancelling, 500);
  await expect(end(id)).rejects.toThrow('not this one');
  shop.standIn.faultAt.clear();
  expect(shop.standIn.requests.slice(asked).at(-1)).toBe(cancelling);
  await end(id);
  expect(subscription.status).toBe('canceled');
});

test('for a customer who was deleted at Stripe, there is nothing to end', async () => {
  const { id } = await subscriber(0);
  shop.books.customers.get((await shop.account(id)).customer!)!.deleted = true;
  expect(await end(id)).toEqual(NOTHING);
});

test('an account about to be closed keeps its subscription for ten minutes, or until it is closed', async () => {
  const { id, subscription } = await subscriber(0);
  const closing = { id: 'closing', type: 'account.closed', object: id, receivedAtMs: shop.now() };
  const settle = (afterMs: number) =>
    endSubscriptionsOnceClosed(
      { ...shop.billing(), now: () => closing.receivedAtMs + afterMs },
      closing,
    );
  for (const afterMs of [0, 10 * MINUTE_MS]) expect(await settle(afterMs)).toBeNull();
  expect(await settle(10 * MINUTE_MS + 1)).toEqual(NOTHING);
  expect(subscription.status).toBe('active');
  await shop.ledger.closeAccount(id, BY);
  expect(await settle(0)).toEqual(NOTHING);
  expect(subscription.status).toBe('canceled');
  const unknown = { ...closing, object: 'unknown' };
  expect(await endSubscriptionsOnceClosed(shop.billing(), unknown)).toEqual(NOTHING);
});
