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
