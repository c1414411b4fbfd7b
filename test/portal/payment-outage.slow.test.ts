import { expect, test } from 'vitest';
import { EventWorker } from '../../portal/payment/event-worker.ts';
import { BY } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { DAY, PaymentFixture, SHORT_LIMITS } from '../support/payment-fixture.ts';
import { ofEachTest, ofThisTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofEachTest(() => PaymentFixture.open(newAddress()));

const receive = async () => {
  for (const event of shop.books.events.splice(0)) {
    const { body, signature } = shop.standIn.sign(event);
    await shop.payment.receive(body, signature);
  }
};

test.each(['error', 'stall', 'drip'] as const)(
  'events that arrive while Stripe is down (%s) are kept, and handled when it is back',
  async (fault) => {
    const id = await shop.newAccount();
    await shop.subscribe(id);
    if (fault !== 'error') await shop.limit(SHORT_LIMITS);
    shop.standIn.fault = fault;
    await receive();
    await shop.payment.settleOpenEvents();
    expect((await shop.standing(id)).balance).toBe(0);
    const open = (await shop.ledger.openEvents(10)).length;
    expect(open).toBeGreaterThan(1);
    shop.standIn.fault = 'none';
    shop.books.advance(60);
    await shop.payment.settleOpenEvents();
    expect((await shop.standing(id)).balance).toBe(10_000);
    expect(await shop.ledger.openEvents(10)).toEqual([]);
  },
);

test('while Stripe is down, one event at a time is tried, and less and less often', async () => {
  await shop.subscribe(await shop.newAccount());
  shop.standIn.fault = 'error';
  await receive();
  expect((await shop.ledger.openEvents(10)).length).toBeGreaterThan(2);
  await shop.payment.settleOpenEvents();
  const triedAt: number[] = [];
  for (let second = 0; second < 32; second++) {
    const failed = shop.errors.length;
    shop.books.advance(1);
    await shop.payment.settleOpenEvents();
    if (shop.errors.length > failed) triedAt.push(second);
  }
  const pauses = triedAt.slice(1).map((second, i) => second - triedAt[i]);
  expect(pauses.length).toBeGreaterThan(1);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(pauses.at(-1)).toBeGreaterThan(2 * pauses[0] - 1);
});

test.each([403, 500, 'stall'] as const)(
  'an event that always fails (%s) blocks no other',
  async (fault) => {
    const id = await shop.newAccount();
    if (fault === 'stall') await shop.limit(SHORT_LIMITS);
    shop.standIn.faultAt.set('GET /v1/invoices/in_bad', fault);
    shop.books.tell('invoice.paid', { id: 'in_bad', object: 'invoice', created: 0 });
    for (let hour = 1; hour <= 4; hour++) {
      await shop.buyPack(id, 'pack_10k');
      await shop.deliverNew();
      // Without any response, the next try waits a few seconds.
      shop.books.advance(5);
      await shop.payment.settleOpenEvents();
      expect((await shop.standing(id)).balance).toBe(hour * 10_000);
      shop.books.advance(3_600);
    }
    expect(await shop.ledger.openEvents(10)).toMatchObject([{ object: 'in_bad' }]);
    expect(shop.errors.length).toBeGreaterThanOrEqual(4);
  },
);

test('closings that Stripe does not respond to block no payment', async () => {
  await shop.limit(SHORT_LIMITS);
  for (const _ of [1, 2]) {
    const closing = await shop.newAccount();
    const { id } = await shop.subscribe(closing);
    shop.standIn.faultAt.set(`DELETE /v1/subscriptions/${id}`, 'stall');
    await shop.deliverNew();
    await shop.payment.endSubscription(await shop.account(closing));
    await shop.ledger.closeAccount(closing, BY);
  }
  await shop.payment.settleOpenEvents();
  expect(await shop.ledger.openEvents(10)).toHaveLength(2);
  const id = await shop.newAccount();
  await shop.buyPack(id, 'pack_10k');
  expect((await shop.reported(id)).balance).toBe(10_000);
});

test('a permanent failure at Stripe blocks no other reconciliation', async () => {
  const id = await shop.newAccount();
  await shop.subscribe(id);
  const charge = shop.books.chargeOf(await shop.buyPack(id, 'pack_10k'));
  const refund = shop.books.refund(charge, 600);
  shop.standIn.faultAt.set(`GET /v1/refunds/${refund.id}`, 403);
  await expect(shop.reconcile()).rejects.toThrow(
    `1 not settled, all others are: ${refund.id}: not this one`,
  );
  expect(await shop.standing(id)).toMatchObject({
    balance: 15_000,
    membership: { status: 'active' },
    addsUp: true,
  });
});

test('an event that fails on its own blocks no other', async () => {
  const id = await shop.newAccount();
  shop.books.tell('invoice.paid', { id: 'in_lost', object: 'invoice', created: 0 });
  await shop.buyPack(id, 'pack_10k');
  expect((await shop.reported(id)).balance).toBe(10_000);
  expect(await shop.ledger.openEvents(10)).toMatchObject([{ object: 'in_lost' }]);
  shop.books.advance(2 * DAY);
  await shop.payment.settleOpenEvents();
  expect(await shop.ledger.openEvents(10)).toHaveLength(1);
  // An object unknown to Stripe for three days does not exist.
  shop.books.advance(1 * DAY + 60);
  await shop.payment.settleOpenEvents();
  expect(await shop.ledger.openEvents(10)).toEqual([]);
});

test('the event worker survives any number of failing events', async () => {
  const reported = { type: 'invoice.paid', object: 'in_lost', receivedAtMs: 0 };
  const open = Array.from({ length: 150_000 }, (_, i) => ({ id: `evt_${i}`, ...reported }));
  const worker = await ofThisTest(
    new EventWorker({
      // The events are in memory, since storing so many on a disk would take minutes.
      ledger: {
        storeEvent: async () => true,
        openEvents: async (limit, offset = 0) => open.slice(offset, offset + limit),
        closeEvent: async () => {},
      },
      isOwn: () => true,
      settle: () => Promise.reject(new Error('refused')),
      now: () => 0,
      onError: () => {},
    }),
  );
  await worker.wake();
});

test('a portal that stops midway leaves nothing undone and does nothing twice', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => shop.newAccount()));
  for (const id of accounts) {
    await shop.subscribe(id);
    await shop.buyPack(id, 'pack_10k');
  }
  const events = shop.books.events.slice();
  await receive();
  for (let i = 0; i < 4; i++) await shop.restart();
  shop.books.events.push(...events);
  await receive();
  await shop.restart();
  await shop.payment.settleOpenEvents();
  for (const id of accounts) {
    expect(await shop.standing(id)).toMatchObject({ balance: 20_000, addsUp: true });
  }
  expect(await shop.ledger.openEvents(10)).toEqual([]);
});

test('two portals on one ledger handle the same events at once, and nothing is done twice', async () => {
  const other = shop.paymentFor(shop.ledger);
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  const charge = shop.books.chargeOf(await shop.buyPack(id, 'pack_10k'));
  shop.books.refund(charge, 600);
  shop.books.cancelAtPeriodEnd(subscription);
  await receive();
  await Promise.all([shop.payment.settleOpenEvents(), other.settleOpenEvents()]);
  await other.close();
  expect(await shop.standing(id)).toMatchObject({
    balance: 15_000,
    membership: { status: 'ending' },
    addsUp: true,
  });
});

test('reconcile finds everything that was missed, counts it, and finds nothing the second time', async () => {
  const id = await shop.newAccount();
  const subscription = await shop.subscribe(id);
  const gone = await shop.newAccount();
  const ended = await shop.subscribe(gone);
  await shop.deliverNew();
  shop.books.advance(31 * DAY);
  const sinceMs = shop.now();
  // Buys more packs than fit on a page of Stripe's lists.
  const packs = [];
  for (let i = 0; i < 103; i++) {
    packs.push(await shop.buyPack(id, 'pack_10k'));
    shop.books.advance(1);
  }
  for (const pack of packs.slice(0, 2)) shop.books.refund(shop.books.chargeOf(pack), 1_200);
  const dispute = shop.books.dispute(shop.books.chargeOf(packs[3]), 600);
  shop.books.closeDispute(dispute, 'lost');
  shop.books.cancel(ended);
  shop.books.events.length = 0;
  const found = await shop.reconcile(sinceMs);
  expect(found).toEqual({
    invoices: 4,
    sessions: 103,
    refunds: 2,
    disputes: 1,
    subscriptions: 2,
    tokensGranted: 1_050_000,
    tokensTakenBack: 25_000,
    membershipsChanged: 2,
  });
  expect(await shop.standing(id)).toMatchObject({
    balance: 20_000 + 1_030_000 - 20_000 - 5_000,
    membership: { status: 'active', subscription: subscription.id },
    addsUp: true,
  });
  expect(await shop.standing(gone)).toMatchObject({ balance: 20_000, membership: null });
  expect(await shop.reconcile()).toMatchObject({
    tokensGranted: 0,
    tokensTakenBack: 0,
    membershipsChanged: 0,
  });
});
