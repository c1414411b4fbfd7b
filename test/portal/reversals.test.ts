import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Reversal, reversalsOf, sharesOf } from '../../portal/payment/reversals.ts';
import { stripeClient } from '../../portal/payment/stripe-client.ts';
import { forAll } from '../support/for-all.ts';
import type { Dispute, Refund } from '../support/stripe-stand-in/objects.ts';
import { openStripeStandIn } from '../support/stripe-stand-in/stripe-stand-in.ts';
import { ofTests } from '../support/test-resources.ts';

const standIn = ofTests(openStripeStandIn);

/** Every status that Stripe reports, and whether the reversal stands; null if no money moved. */
const REFUNDS = {
  pending: true,
  succeeded: true,
  requires_action: true,
  failed: false,
  canceled: false,
};
const DISPUTES = {
  needs_response: true,
  under_review: true,
  lost: true,
  won: false,
  warning_needs_response: null,
  warning_under_review: null,
  warning_closed: null,
  prevented: null,
};

const reversed = <Status extends string>(statuses: Readonly<Record<Status, unknown>>) =>
  fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z]{2}$/),
      payment_intent: fc.constantFrom('pi_1', 'pi_2', 'pi_of_another'),
      amount: fc.integer({ min: 1, max: 1_000 }),
      created: fc.integer({ min: 1, max: 4 }),
      status: fc.constantFrom(...(Object.keys(statuses) as Status[])),
    }),
    { selector: ({ id }) => id, maxLength: 8 },
  );

test('reversals of several payments are those that moved money: refunds, then disputes, each by time', () =>
  forAll(60, reversed(REFUNDS), reversed(DISPUTES), async (refunds, disputes) => {
    const { books, address: apiUrl, secretKey } = standIn;
    books.refunds.clear();
    books.disputes.clear();
    for (const one of refunds) books.refunds.set(one.id, one as unknown as Refund);
    for (const one of disputes) books.disputes.set(one.id, one as unknown as Dispute);
    const reversals = await reversalsOf(stripeClient({ apiUrl, secretKey }), ['pi_1', 'pi_2']);
    const expected = new Map<string, Reversal>();
    for (const { id, payment_intent, amount: cents, created, status } of refunds) {
      if (payment_intent === 'pi_of_another') continue;
      const cause = `refund:${id}`;
      expected.set(cause, { cause, cents, atMs: created * 1_000, stands: REFUNDS[status] });
    }
    for (const { id, payment_intent, amount: cents, created, status } of disputes) {
      const stands = DISPUTES[status];
      if (payment_intent === 'pi_of_another' || stands === null) continue;
      const cause = `dispute:${id}`;
      expected.set(cause, { cause, cents, atMs: created * 1_000, stands });
    }
    expect(new Map(reversals.map((one) => [one.cause, one]))).toEqual(expected);
    const places = reversals.map(
      ({ cause, atMs }) => `${cause.startsWith('refund') ? 0 : 1} ${atMs} ${cause}`,
    );
    expect(places).toEqual(places.toSorted());
  }));

const reversal = fc.record({
  cause: fc.string(),
  cents: fc.integer({ min: 1, max: 3_000 }),
  atMs: fc.nat(),
  stands: fc.boolean(),
}) satisfies fc.Arbitrary<Reversal>;

test('after each reversal the tokens taken are those of the money returned, and never more than were bought', () =>
  forAll(
    300,
    fc.array(reversal),
    fc.integer({ min: 1, max: 250_000 }),
    fc.integer({ min: 1, max: 5_000 }),
    (reversals, tokens, cents) => {
      const shares = sharesOf(reversals, { tokens, cents });
      expect(shares).toHaveLength(reversals.length);
      let [taken, returned] = [0, 0];
      for (const [i, { cents: more, stands }] of reversals.entries()) {
        if (stands) returned += more;
        else expect(shares[i]).toBe(0);
        taken += shares[i];
        // Exact, by integers: `taken` is the most tokens whose price is within the money returned.
        expect(taken * cents).toBeLessThanOrEqual(tokens * returned);
        expect(taken).toBeLessThanOrEqual(tokens);
        const isMost = (taken + 1) * cents > tokens * returned || taken === tokens;
        expect(isMost).toBe(true);
      }
    },
  ));
