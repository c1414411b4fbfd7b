import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BillingContext } from '../../portal/payment/billing-context.ts';
import { settleEvent, signedEvent } from '../../portal/payment/events.ts';
import { forAll } from '../support/for-all.ts';
import { signatureOf } from '../support/stripe-stand-in/signature.ts';

const SECRET = 'whsec_test';
const NOW = 1_800_000_000;

/** Event types documented by Stripe that change a payment, its reversal, or a subscription. */
const TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'invoice.paid',
  'invoice.payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];

const bodyOf = (event: unknown) => Buffer.from(JSON.stringify(event));
const event = (type: string, members: object = {}) => ({
  id: 'evt_1',
  type,
  data: { object: { id: 'obj_1', amount: 1 } },
  ...members,
});
const received = (body: Buffer, { at = NOW, nowMs = NOW * 1000, signature = '' } = {}) =>
  signedEvent(body, signature || signatureOf(body, SECRET, at), { webhookSecret: SECRET, nowMs });

test.each(TYPES)('of an event %s, only id, type and object are kept', (type) => {
  expect(received(bodyOf(event(type)))).toEqual({
    id: 'evt_1',
    type,
    object: 'obj_1',
    receivedAtMs: NOW * 1000,
  });
});

test.each([
  event('customer.created'),
  event(''),
  event('toString'),
  event('account.closed'),
  event('invoice.paid', { id: '' }),
  event('invoice.paid', { id: 'x'.repeat(256) }),
  event('invoice.paid', { id: 1 }),
  event('invoice.paid', { data: { object: { id: '' } } }),
  event('invoice.paid', { data: { object: { id: 'x'.repeat(256) } } }),
  event('invoice.paid', { data: {} }),
  { id: 'evt_1', data: { object: { id: 'obj_1' } } },
  [],
  null,
])('a signed body of no use is dropped: %j', (body) => {
  expect(received(bodyOf(body))).toBeNull();
});

test('ids of up to 255 characters are kept', () => {
  const id = 'x'.repeat(255);
  const kept = received(bodyOf(event('invoice.paid', { id, data: { object: { id } } })));
  expect(kept).toMatchObject({ id, object: id });
});

test('a signature of at most 300 seconds ago or ahead is accepted', () =>
  forAll(
    300,
    fc.oneof(fc.integer({ min: -303, max: 303 }), fc.constantFrom(-300, -301, 300, 301)),
    (ahead) => {
      const body = bodyOf(event('invoice.paid'));
      const receive = () => received(body, { at: NOW + ahead });
      if (Math.abs(ahead) <= 300) expect(receive()).not.toBeNull();
      else
        expect(receive).toThrow('Stripe-Signature is missing, invalid, or not from the last 300');
    },
  ));

test('the last of several times in a signature counts', () => {
  const body = bodyOf(event('invoice.paid'));
  const signed = signatureOf(body, SECRET, NOW);
  const late = signatureOf(body, SECRET, NOW + 400);
  const both = (first: string, second: string) => () =>
    received(body, { signature: `${first},${second}` });
  expect(both(`t=${NOW + 400}`, signed)()).not.toBeNull();
  expect(both(`t=${NOW}`, late)).toThrow('Stripe-Signature');
});

test.each(['', 'v1=00', 't=', 't=x,v1=00', `t=${NOW}`, `v1=00,t=${NOW}`])(
  'the signature "%s" is refused',
  (signature) => {
    const options = { webhookSecret: SECRET, nowMs: NOW * 1000 };
    const body = bodyOf(event('invoice.paid'));
    expect(() => signedEvent(body, signature, options)).toThrow('Stripe-Signature');
    expect(() => signedEvent(body, undefined, options)).toThrow('Stripe-Signature');
  },
);

test('a signed body that is not JSON is refused', () => {
  expect(() => received(Buffer.from('not JSON'))).toThrow(
    expect.objectContaining({ slug: 'invalid-signature' }),
  );
});

test('the error for a stored event of an unknown type names the type', () => {
  const stored = { id: 'evt_1', type: 'payout.paid', object: 'po_1', receivedAtMs: 0 };
  expect(() => settleEvent({} as BillingContext, stored)).toThrow('unknown event type payout.paid');
});
