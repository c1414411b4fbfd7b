import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { NOTHING, PaymentUnavailable } from '../../portal/payment/billing-context.ts';
import { reconcile } from '../../portal/payment/reconcile.ts';
import { stripeClient } from '../../portal/payment/stripe-client.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { DAY, PaymentFixture } from '../support/payment-fixture.ts';
import { ofEachTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofEachTest(() => PaymentFixture.open(newAddress()));

const NONE = { invoices: 0, sessions: 0, refunds: 0, disputes: 0, subscriptions: 0, ...NOTHING };
/** Days after its creation within which an object may still change. */
const CHANGES_FOR = { invoices: 60, sessions: 30, refunds: 60, disputes: 365 };
const KINDS = Object.keys(CHANGES_FOR) as (keyof typeof CHANGES_FOR)[];

/** Adds an object that changes nothing, since it belongs to none of our payments. */
function addAlien(kind: keyof typeof CHANGES_FOR, id: string, created: number): void {
  const { books } = shop;
  const members = { id, object: kind, created, payment_intent: null, mode: 'setup', parent: null };
  const status = { invoices: 'paid', sessions: 'complete', refunds: 'pending', disputes: 'lost' };
  const alien = { ...members, status: status[kind], lines: { data: [] } };
  (books[kind] as unknown as Map<string, object>).set(id, alien);
}

test('reconciling examines the objects that are young enough to have changed since a given time', async () => {
  const since = shop.books.now;
  for (const kind of KINDS) {
    const oldest = since - CHANGES_FOR[kind] * DAY;
    for (const created of [oldest - 1, oldest, oldest + 1]) {
      addAlien(kind, `${kind}_${created}`, created);
    }
  }
  const two = { ...NONE, invoices: 2, sessions: 2, refunds: 2, disputes: 2 };
  // Stripe's times are whole seconds, so milliseconds make no difference.
  for (const more of [0, 999]) expect(await shop.reconcile(since * 1000 + more)).toEqual(two);
  const all = { ...NONE, invoices: 3, sessions: 3, refunds: 3, disputes: 3 };
  for (const ever of [null, 0, DAY * 1000]) expect(await shop.reconcile(ever)).toEqual(all);
});

test('only paid invoices and complete sessions are examined', async () => {
  for (const kind of ['invoices', 'sessions'] as const) addAlien(kind, `${kind}_1`, shop.books.now);
  Object.assign(shop.books.invoices.get('invoices_1')!, { status: 'open' });
  Object.assign(shop.books.sessions.get('sessions_1')!, { status: 'expired' });
  expect(await shop.reconcile()).toEqual(NONE);
});

test('each kind of payment is booked, and the changes are counted', async () => {
  const { books } = shop;
  const id = await shop.newAccount();
  await shop.subscribe(id);
  const [refunded, disputed, free] = [
    await shop.buyPack(id, 'pack_10k'),
    await shop.buyPack(id, 'pack_50k'),
    await shop.newAccount(),
  ];
  await shop.subscribe(free);
  books.refund(books.chargeOf(refunded), 600);
  books.dispute(books.chargeOf(disputed), 2_500);
  const found = { invoices: 2, sessions: 4, refunds: 1, disputes: 1, subscriptions: 2 };
  expect(await shop.reconcile()).toEqual({
    ...found,
    tokensGranted: 80_000,
    tokensTakenBack: 30_000,
    membershipsChanged: 2,
  });
  expect(await shop.reconcile()).toEqual({ ...found, ...NOTHING });
  expect(await shop.standing(id)).toMatchObject({ balance: 40_000, addsUp: true });
});

test('a subscription that ended is settled while an account still has its membership', async () => {
  const { books } = shop;
  const id = await shop.newAccount();
  const former = await shop.subscribe(id);
  await shop.reconcile();
  books.cancel(former);
  const ofNobody = books.subscribe(former.customer, former.items.data[0].price, {});
  books.cancel(ofNobody);
  const asked = () =>
    shop.standIn.requests
      .splice(0)
      .filter((request) => request.startsWith('GET /v1/subscriptions/'));
  asked();
  expect(await shop.reconcile()).toMatchObject({ subscriptions: 2, membershipsChanged: 1 });
  expect(asked()).toEqual([`GET /v1/subscriptions/${former.id}`]);
  expect((await shop.account(id)).membership).toBeNull();
  expect(await shop.reconcile()).toMatchObject({ subscriptions: 2, membershipsChanged: 0 });
  expect(asked()).toEqual([]);
});

test('up to five objects that Stripe refuses are named, and all others are settled', async () => {
  const id = await shop.newAccount();
  await shop.subscribe(id);
  const refused = (refunds: number) => {
    for (let i = 1; i <= refunds; i++) {
      addAlien('refunds', `re_${i}`, shop.books.now);
      shop.standIn.faultAt.set(`GET /v1/refunds/re_${i}`, 403);
    }
    return shop.reconcile().catch((error) => error);
  };
  const list = (ids: readonly number[]) => ids.map((n) => `re_${n}: not this one`).join('; ');
  const one = await refused(1);
  expect(one).toBeInstanceOf(PaymentUnavailable);
  expect(one.message).toBe(`Stripe: 1 not settled, all others are: ${list([1])}`);
  expect(await shop.standing(id)).toMatchObject({
    balance: 10_000,
    membership: { status: 'active' },
  });
  expect((await refused(6)).message).toBe(
    `Stripe: 6 not settled, all others are: ${list([6, 5, 4, 3, 2])}`,
  );
});

test('reconciling ends at once if Stripe does not respond, or if the ledger fails', async () => {
  for (const id of ['re_1', 're_2']) addAlien('refunds', id, shop.books.now);
  shop.standIn.faultAt.set('GET /v1/refunds/re_2', 'stall');
  const { address: apiUrl, secretKey } = shop.standIn;
  const stripe = stripeClient({ apiUrl, secretKey, timeoutMs: 300 });
  await expect(reconcile({ ...shop.billing(), stripe }, null)).rejects.toThrow(
    Stripe.errors.StripeConnectionError,
  );
  expect(shop.standIn.requests).not.toContain('GET /v1/refunds/re_1');
  const id = await shop.newAccount();
  await shop.buyPack(id, 'pack_10k');
  const closed = await openLedger(newAddress(), { rateLimitPerMinute: 1 });
  await closed.close();
  await expect(reconcile(shop.billing(closed), null)).rejects.toThrow(LedgerUnavailable);
});
