import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { DeliveredFraction } from '../../proxy/http/response-writer.ts';
import { LedgerUnavailable, OutcomeUnknown } from '../../proxy/ledger/ledger.ts';
import type { Charge, Metering } from '../../proxy/ledger/metering.ts';
import { debit, deliverBody, mayAfford } from '../../proxy/metering/debit.ts';
import { forAll } from '../support/for-all.ts';

/** Delivers a response; returns what was refunded, logged and thrown. */
async function delivered(
  tokens: number,
  hand: () => { share: Promise<DeliveredFraction> },
  onward = new Map<string, Promise<DeliveredFraction>>(),
  charges = { hasEnded: false },
) {
  const refunds: number[] = [];
  const logged: unknown[] = [];
  const error = (entry: object, text: string) => logged.push([entry, text]);
  const server = { services: { onward, charges } };
  const request = { id: 'req_1', log: { error }, server } as unknown as FastifyRequest;
  const repay = async (undelivered: number) => {
    refunds.push(undelivered);
    if (undelivered === 13) throw new LedgerUnavailable('the ledger is away');
  };
  const thrown = await deliverBody(request, tokens, repay, hand).then(
    async ({ refunded }) => refunded.then(() => null),
    (error) => error,
  );
  return { refunds, logged, thrown };
}

const shareOf = (share: number) => () => ({ share: Promise.resolve(share as DeliveredFraction) });

test('the tokens of the share that was not delivered are refunded, in whole tokens, once, but for one to a client that leaves', () =>
  forAll(
    200,
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 0, max: 24 }),
    fc.boolean(),
    async (tokens, twentyFourths, hasEnded) => {
      const hand = shareOf(twentyFourths / 24);
      const { refunds, thrown, logged } = await delivered(tokens, hand, new Map(), { hasEnded });
      // A token of which any part was delivered is paid. A service that has ended charges for no
      // connection that it has broken off.
      const least = hasEnded ? 0 : 1;
      const isPaid = (i: number) => i < least || i * 24 < tokens * twentyFourths;
      const paid = Array.from({ length: tokens }, (_, i) => isPaid(i));
      const undelivered = paid.filter((isPaid) => !isPaid).length;
      expect(refunds).toEqual(undelivered > 0 ? [undelivered] : []);
      expect([thrown, logged]).toEqual([null, []]);
    },
  ));

test('of a response that is passed on, the share that reached its caller counts', async () => {
  const onward = (share: number) =>
    new Map([['req_1', Promise.resolve(share as DeliveredFraction)]]);
  expect((await delivered(10, shareOf(1), onward(0.5))).refunds).toEqual([5]);
  expect((await delivered(10, shareOf(0.5), onward(0.5))).refunds).toEqual([7]);
  expect((await delivered(10, shareOf(1), onward(1))).refunds).toEqual([]);
});

test('a response that was never handed over is refunded entirely, and its error passed on', async () => {
  const failure = new Error('gone');
  const { refunds, thrown } = await delivered(7, () => {
    throw failure;
  });
  expect([refunds, thrown]).toEqual([[7], failure]);
});

test('a refund that fails is logged under the request id', async () => {
  const { thrown, logged } = await delivered(14, shareOf(0));
  expect(thrown).toBeNull();
  const err = new LedgerUnavailable('the ledger is away');
  expect(logged).toEqual([[{ err, reqId: 'req_1' }, 'refund failed']]);
});

test('where the refund of a response that was not handed over fails as well, whether it was charged is unknown', async () => {
  const { refunds, thrown } = await delivered(13, () => {
    throw new Error('gone');
  });
  expect(refunds).toEqual([13]);
  expect(thrown).toBeInstanceOf(OutcomeUnknown);
});

test('a debit returns the new balance; one beyond the balance is refused without stating the price', async () => {
  const due = { tokens: 97 } as Charge;
  const ledgerOf = (outcome: string, balance: number) =>
    ({ debit: async () => ({ outcome, balance }) }) as unknown as Metering;
  expect(await debit(ledgerOf('debited', 3), due)).toBe(3);
  const refusal = await debit(ledgerOf('insufficient', 5), due).catch((problem) => problem);
  expect(refusal).toMatchObject({
    slug: 'tokens-exhausted',
    message: 'the response costs more than the 5 tokens left; nothing was charged',
    members: { tokens_remaining: 5 },
    headers: { 'retry-after': '3600', 'x-tokens-remaining': '5' },
  });
  expect(JSON.stringify([refusal.message, refusal.members, refusal.headers])).not.toContain('97');
});

test('a balance suffices if it covers the known price, or else the cheapest response', () => {
  expect([-1, 0, 1, 2].map((balance) => mayAfford(balance))).toEqual([false, false, true, true]);
  expect([9, 10, 11].map((balance) => mayAfford(balance, 10))).toEqual([false, true, true]);
});
