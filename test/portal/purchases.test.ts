import fc from 'fast-check';
import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import {
  packMetadata,
  purchaseOfInvoice,
  purchaseOfSession,
} from '../../portal/payment/purchase.ts';
import { PLANS } from '../../proxy/plans.ts';
import { forAll } from '../support/for-all.ts';

const [SOLD, FORMER] = ['price_sold', 'price_former'];
const CREATED = 1_800_000_000;

type Changes<T> = Readonly<Record<string, (object: T) => void>>;
type Line = Record<string, unknown> & { amount: number };
interface Invoice {
  [member: string]: unknown;
  lines: { data: Line[] };
}

const line = (amount: number, members: object = {}): Line => ({
  amount,
  parent: { subscription_item_details: { proration: false } },
  pricing: { price_details: { price: SOLD } },
  ...members,
});
const PRORATED = { subscription_item_details: { proration: true } };
const credit = () => line(-300, { parent: PRORATED });

const monthPaid = (): Invoice => ({
  id: 'in_1',
  status: 'paid',
  currency: 'usd',
  created: CREATED,
  total: 1_080,
  amount_paid: 1_080,
  status_transitions: { paid_at: CREATED + 60 },
  parent: { subscription_details: { metadata: { account: 'acc_1' } } },
  lines: { data: [line(1_000)] },
  payments: {
    data: [
      { payment: { payment_intent: 'pi_1' } },
      { payment: { payment_intent: null } },
      { payment: { payment_intent: { id: 'pi_2' } } },
    ],
  },
});

const other = { pricing: { price_details: { price: 'price_other' } } };
const ofAccount = (metadata: object | null) => ({ parent: { subscription_details: { metadata } } });
const all = (members: object) => (invoice: Invoice) => {
  for (const one of invoice.lines.data) Object.assign(one, members);
};
const first = (members: object) => (invoice: Invoice) => {
  Object.assign(invoice.lines.data[0], members);
};
const beside = (added: () => Line) => (invoice: Invoice) => {
  invoice.lines.data.unshift(added());
};
const set = (members: object) => (object: object) => {
  Object.assign(object, members);
};

/** Changes each of which alone keeps an invoice from granting a month. */
const INVOICE_FAULTS: Changes<Invoice> = {
  open: set({ status: 'open' }),
  'in euros': set({ currency: 'eur' }),
  'without a subscription': set({ parent: null }),
  'with a parent of another kind': set({ parent: { subscription_details: null } }),
  'of another service': set(ofAccount({})),
  'without metadata': set(ofAccount(null)),
  'of another product': all(other),
  'without prices': all({ pricing: null }),
  'without details of prices': all({ pricing: { price_details: null } }),
  free: all({ amount: 0 }),
  'for part of a month': all({ parent: PRORATED }),
  'for part of a month, by hand': all({
    parent: { subscription_item_details: null, invoice_item_details: { proration: true } },
  }),
  'paid by credit for the rest of a month': (invoice) => {
    invoice.amount_paid = 999;
    invoice.lines.data.push(credit());
  },
};

/** Changes that do not affect what an invoice grants. */
const INVOICE_VARIANTS: Changes<Invoice> = {
  'at a former price': first({ pricing: { price_details: { price: FORMER } } }),
  'with the price expanded': first({ pricing: { price_details: { price: { id: SOLD } } } }),
  'without details of the line': first({ parent: null }),
  'of an invoice item': first({ parent: { invoice_item_details: { proration: false } } }),
  'beside a line of another product': beside(() => line(500, other)),
  'beside a line without a price': beside(() => line(500, { pricing: null })),
  'beside part of a month': beside(() => line(400, { parent: PRORATED })),
  'paid in part, beside a proration of nothing': (invoice) => {
    beside(() => line(0, { parent: PRORATED }))(invoice);
    invoice.amount_paid = 100;
  },
  'paid in part, beside a discount that is no proration': (invoice) => {
    beside(() => line(-900))(invoice);
    invoice.amount_paid = 100;
  },
  'paid in full, beside a credit': (invoice) => {
    beside(credit)(invoice);
    invoice.amount_paid = 1_000;
  },
};

interface Session {
  [member: string]: unknown;
  metadata: Record<string, string> | null;
}

const packPaid = (): Session => ({
  id: 'cs_1',
  mode: 'payment',
  payment_status: 'paid',
  currency: 'usd',
  created: CREATED,
  amount_total: 1_200,
  payment_intent: 'pi_1',
  metadata: { ...packMetadata('acc_1', { tokens: 10_000, cents: 1_200 }) },
});
const inMetadata = (members: object) => (session: Session) => {
  if (session.metadata !== null) Object.assign(session.metadata, members);
};

const SESSION_FAULTS: Changes<Session> = {
  'of a subscription': set({ mode: 'subscription' }),
  unpaid: set({ payment_status: 'unpaid' }),
  'in euros': set({ currency: 'eur' }),
  'without a payment': set({ payment_intent: null }),
  'without a total': set({ amount_total: null }),
  'below the price': set({ amount_total: 1_199 }),
  'of another service': set({ metadata: null }),
  'without an account': inMetadata({ account: '' }),
  'of no tokens': inMetadata({ tokens: '0' }),
  'of half a token': inMetadata({ tokens: '0.5' }),
  'of negative tokens': inMetadata({ tokens: '-5' }),
  'of no price': inMetadata({ cents: '0' }),
  'of a price that is no number': inMetadata({ cents: 'x' }),
};

const SESSION_VARIANTS: Changes<Session> = {
  'with the payment expanded': set({ payment_intent: { id: 'pi_1' } }),
  'of a lower price': inMetadata({ cents: '1' }),
};

const subsetOf = (changes: object) => fc.subarray(Object.keys(changes));
function changed<T>(object: T, ...parts: [Changes<T>, readonly string[]][]): T {
  for (const [changes, names] of parts) for (const name of names) changes[name](object);
  return object;
}

const monthBought = (invoice: Invoice) =>
  purchaseOfInvoice(invoice as unknown as Stripe.Invoice, [SOLD, FORMER]);
const packBought = (session: Session) =>
  purchaseOfSession(session as unknown as Stripe.Checkout.Session);

test('a paid month grants the tokens of a month, however its invoice is written', () =>
  forAll(200, subsetOf(INVOICE_VARIANTS), fc.boolean(), (variants, isTimed) => {
    const invoice = changed(monthPaid(), [INVOICE_VARIANTS, variants]);
    if (!isTimed) invoice.status_transitions = { paid_at: null };
    expect(monthBought(invoice)).toEqual({
      account: 'acc_1',
      cause: 'invoice:in_1',
      tokens: PLANS.membership.tokens_per_month,
      cents: 1_080,
      paidAtMs: (isTimed ? CREATED + 60 : CREATED) * 1_000,
      paymentIntents: ['pi_1', 'pi_2'],
    });
  }));

test('an invoice without payments is a purchase without payments to refund', () => {
  expect(monthBought({ ...monthPaid(), payments: undefined })?.paymentIntents).toEqual([]);
});

test.each(Object.keys(INVOICE_FAULTS))('an invoice grants nothing if it is %s', (fault) => {
  expect(monthBought(changed(monthPaid(), [INVOICE_FAULTS, [fault]]))).toBeNull();
});

test('faults of an invoice do not make up for each other', () =>
  forAll(
    300,
    fc.subarray(Object.keys(INVOICE_FAULTS), { minLength: 1 }),
    subsetOf(INVOICE_VARIANTS),
    (faults, variants) => {
      const parts = [INVOICE_VARIANTS, variants] as const;
      const invoice = changed(monthPaid(), [...parts], [INVOICE_FAULTS, faults]);
      expect(monthBought(invoice)).toBeNull();
    },
  ));

test('a paid pack grants what was sold, at the price that was paid', () =>
  forAll(
    50,
    subsetOf(SESSION_VARIANTS),
    fc.oneof(fc.constant(1_200), fc.integer({ min: 1_200 })),
    (variants, paid) => {
      const session = changed(packPaid(), [SESSION_VARIANTS, variants]);
      expect(packBought({ ...session, amount_total: paid })).toEqual({
        account: 'acc_1',
        cause: 'session:cs_1',
        tokens: 10_000,
        cents: paid,
        paidAtMs: CREATED * 1_000,
        paymentIntents: ['pi_1'],
      });
    },
  ));

test.each(Object.keys(SESSION_FAULTS))('a checkout grants nothing if it is %s', (fault) => {
  expect(packBought(changed(packPaid(), [SESSION_FAULTS, [fault]]))).toBeNull();
});

test('faults of a checkout do not make up for each other', () =>
  forAll(
    200,
    fc.subarray(Object.keys(SESSION_FAULTS), { minLength: 1 }),
    fc.boolean(),
    (faults, isExpanded) => {
      const variants = isExpanded ? ['with the payment expanded'] : [];
      const parts = [SESSION_VARIANTS, variants] as const;
      expect(packBought(changed(packPaid(), [...parts], [SESSION_FAULTS, faults]))).toBeNull();
    },
  ));
