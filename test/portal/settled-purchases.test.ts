import { expect, test } from 'vitest';
import { NOTHING } from '../../portal/payment/billing-context.ts';
import {
  settleCharge,
  settleDispute,
  settleInvoice,
  settleRefund,
  settleSession,
} from '../../portal/payment/settle-purchase.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { MEMBERSHIP_PRICE, PaymentFixture } from '../support/payment-fixture.ts';
import type { Charge, Dispute, Invoice, Refund } from '../support/stripe-stand-in/objects.ts';
import { ofEachTest } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const shop = ofEachTest(() => PaymentFixture.open(newAddress()));

const granted = (tokensGranted: number) => ({ ...NOTHING, tokensGranted });
const takenBack = (tokensTakenBack: number) => ({ ...NOTHING, tokensTakenBack });
/** Buys a pack of 10,000 tokens for 1,200 cents. */
const bought = async () => {
  const id = await shop.newAccount();
  const session = await shop.buyPack(id, 'pack_10k');
  return { id, session, charge: shop.books.chargeOf(session) };
};

test('settling reports what it changed, and changes nothing the second time', async () => {
  const { id, session, charge } = await bought();
  const billing = shop.billing();
  expect(await settleSession(billing, session.id)).toEqual(granted(10_000));
  expect(await settleSession(billing, session.id)).toEqual(NOTHING);
  const refund = shop.books.refund(charge, 300);
  expect(await settleRefund(billing, refund.id)).toEqual(takenBack(2_500));
  expect(await settleRefund(billing, refund.id)).toEqual(NOTHING);
  shop.books.failRefund(refund);
  expect(await settleCharge(billing, charge.id)).toEqual(granted(2_500));
  expect(await settleCharge(billing, charge.id)).toEqual(NOTHING);
  const dispute = shop.books.dispute(charge, 600);
  expect(await settleDispute(billing, dispute.id)).toEqual(takenBack(5_000));
  shop.books.closeDispute(dispute, 'won');
  shop.books.refund(charge, 120);
  expect(await settleDispute(billing, dispute.id)).toEqual({
    ...granted(5_000),
    tokensTakenBack: 1_000,
  });
  expect(await shop.standing(id)).toMatchObject({ balance: 9_000, addsUp: true });
  const trail = await shop.ledger.audit(id);
  expect(new Set(trail.slice(0, -1).map(({ by }) => by))).toEqual(new Set(['payment']));
  expect(trail.at(-1)).toMatchObject({ what: 'account-opened', by: 'owner' });
});

test('undoing a reversal returns the tokens that it took and no more, at the time of the undoing', async () => {
  const { id, session, charge } = await bought();
  const billing = shop.billing();
  await settleSession(billing, session.id);
  await shop.use(id, 7_000);
  const dispute = shop.books.dispute(charge, 1_200);
  expect(await settleDispute(billing, dispute.id)).toEqual(takenBack(3_000));
  shop.books.advance(1_000);
  shop.books.closeDispute(dispute, 'won');
  expect(await settleDispute(billing, dispute.id)).toEqual(granted(3_000));
  expect(await shop.standing(id)).toMatchObject({ balance: 3_000, addsUp: true });
  expect((await shop.ledger.grants(id)).at(-1)).toEqual({
    tokens: 3_000,
    cause: `dispute:${dispute.id}:undone`,
    atMs: shop.now(),
  });
});

test('a first event about a checkout of the membership grants its month and the membership', async () => {
  const id = await shop.newAccount();
  const { id: subscription } = await shop.subscribe(id);
  const session = [...shop.books.sessions.values()].at(-1)!;
  const begun = { ...granted(10_000), membershipsChanged: 1 };
  expect(await settleSession(shop.billing(), session.id)).toEqual(begun);
  expect((await shop.account(id)).membership?.subscription).toBe(subscription);

  // A checkout without an invoice, as for a trial.
  const other = await shop.newAccount();
  await shop.subscribe(other);
  const trial = [...shop.books.sessions.values()].at(-1)!;
  trial.invoice = null;
  const changed = { ...NOTHING, membershipsChanged: 1 };
  expect(await settleSession(shop.billing(), trial.id)).toEqual(changed);
});

test('an event settles the payment it is about, and no other', async () => {
  const { id, charge } = await bought();
  const others = [await bought(), await bought()];
  const member = await shop.newAccount();
  await shop.subscribe(member);
  shop.books.refund(charge, 1_200);
  expect(await settleCharge(shop.billing(), charge.id)).toEqual({
    ...granted(10_000),
    tokensTakenBack: 10_000,
  });
  expect(await shop.ledger.grants(id)).toHaveLength(2);
  const unsettled = [...others.map((other) => other.id), member];
  for (const other of unsettled) expect(await shop.ledger.grants(other)).toEqual([]);
});

test('a refund of a month of membership is found by its payment, before or after its invoice', async () => {
  const id = await shop.newAccount();
  await shop.subscribe(id);
  const invoice = [...shop.books.invoices.values()].at(-1)!;
  const refund = shop.books.refund(shop.books.chargeOf(invoice), 500);
  const settled = { ...granted(10_000), tokensTakenBack: 5_000, membershipsChanged: 1 };
  expect(await settleRefund(shop.billing(), refund.id)).toEqual(settled);
  shop.books.refund(shop.books.chargeOf(invoice), 500);
  expect(await settleInvoice(shop.billing(), invoice.id)).toEqual(takenBack(5_000));
  expect(await shop.standing(id)).toMatchObject({ balance: 0, addsUp: true });
});

test('each loss and each win of a dispute has a cause of its own', async () => {
  const { id, session, charge } = await bought();
  await settleSession(shop.billing(), session.id);
  const dispute = shop.books.dispute(charge, 1_200);
  const expected = [`session:${session.id}`];
  for (const round of ['', ':2', ':3']) {
    for (const [status, end] of [
      ['lost', ''],
      ['won', ':undone'],
    ] as const) {
      shop.books.advance(1);
      shop.books.closeDispute(dispute, status);
      await settleDispute(shop.billing(), dispute.id);
      expected.push(`dispute:${dispute.id}${round}${end}`);
    }
  }
  const causes = (await shop.ledger.grants(id)).map(({ cause }) => cause);
  expect(causes.toSorted()).toEqual(expected.toSorted());
});

test('a charge or invoice for none of our products changes nothing', async () => {
  await bought();
  const { books } = shop;
  const alone = { payment_intent: null, created: books.now, amount: 100, status: 'succeeded' };
  books.charges.set('ch_1', { ...alone, id: 'ch_1', object: 'charge' } as unknown as Charge);
  books.refunds.set('re_1', { ...alone, id: 're_1', object: 'refund' } as unknown as Refund);
  books.disputes.set('du_1', { ...alone, id: 'du_1', object: 'dispute' } as unknown as Dispute);
  const price = books.prices.get(MEMBERSHIP_PRICE)!;
  const invoice = books.bill(books.subscribe(books.addCustomer(null, {}).id, price, {}), 'cycle');
  books.invoices.set('in_1', { ...invoice, id: 'in_1', parent: null });
  const ofQuote = { type: 'quote_details', subscription_details: null } as unknown;
  books.invoices.set('in_2', { ...invoice, id: 'in_2', parent: ofQuote as Invoice['parent'] });
  const billing = shop.billing();
  for (const settled of [
    await settleCharge(billing, 'ch_1'),
    await settleRefund(billing, 're_1'),
    await settleDispute(billing, 'du_1'),
    await settleInvoice(billing, 'in_1'),
    await settleInvoice(billing, 'in_2'),
  ]) {
    expect(settled).toEqual(NOTHING);
  }
});

test('a portal that read a dispute before it was won takes nothing after another portal has settled it', async () => {
  const { id, session, charge } = await bought();
  await settleSession(shop.billing(), session.id);
  const dispute = shop.books.dispute(charge, 1_200);
  shop.standIn.when('GET /v1/disputes', 'after', async () => {
    shop.books.closeDispute(dispute, 'won');
    await settleDispute(shop.billing(), dispute.id);
  });
  expect(await settleDispute(shop.billing(), dispute.id)).toEqual(NOTHING);
  expect(await shop.standing(id)).toMatchObject({ balance: 10_000, addsUp: true });
  const changes = (await shop.ledger.audit(id)).filter(({ what }) => what !== 'account-opened');
  expect(changes.map(({ by }) => by)).toEqual(['payment', 'payment', 'payment']);
});

test('a payment that changes whenever it is read is reported, and settled once it is stable', async () => {
  const { id, session, charge } = await bought();
  await settleSession(shop.billing(), session.id);
  const dispute = shop.books.dispute(charge, 1_200);
  let reads = 0;
  const change = async () => {
    shop.books.closeDispute(dispute, ++reads % 2 === 0 ? 'lost' : 'won');
    shop.standIn.when('GET /v1/disputes', 'after', change);
  };
  shop.standIn.when('GET /v1/disputes', 'after', change);
  await expect(settleDispute(shop.billing(), dispute.id)).rejects.toThrow(
    `refunds of session:${session.id} are changing too fast to be settled`,
  );
  expect(reads).toBe(5);
  shop.standIn.when('none', 'after', async () => {});
  shop.books.closeDispute(dispute, 'won');
  await settleDispute(shop.billing(), dispute.id);
  expect(await shop.standing(id)).toMatchObject({ balance: 10_000, addsUp: true });
});
