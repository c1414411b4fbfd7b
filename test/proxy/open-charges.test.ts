import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeliveredFraction } from '../../proxy/http/response-writer.ts';
import { LedgerUnavailable, OutcomeUnknown } from '../../proxy/ledger/ledger.ts';
import { mayAfford, OpenCharges, tokensExhausted } from '../../proxy/metering/charges.ts';
import type { Answer, Principal } from '../../proxy/metering/principal.ts';
import { forAll } from '../support/for-all.ts';

/** Delivers an answer; returns what was refunded, logged and thrown. */
async function delivered(tokens: number, deliver: Principal['deliver'], hasEnded = false) {
  const refunds: number[] = [];
  const logged: unknown[] = [];
  const report = (fault: string, error: unknown) => void logged.push([error, fault]);
  const repay = async (undelivered: number) => {
    refunds.push(undelivered);
    if (undelivered === 13) throw new LedgerUnavailable('the ledger is away');
  };
  const charges = new OpenCharges();
  if (hasEnded) await charges.end();
  const thrown = await charges
    .handOver({ deliver, report } as Principal, tokens, repay, () => ({}) as Answer)
    .then(
      async ({ refunded }) => refunded.then(() => null),
      (error) => error,
    );
  return { refunds, logged, thrown };
}

const shareOf = (share: number) => async (): Promise<DeliveredFraction> => share;

test('the tokens of the share that was not delivered are refunded, in whole tokens, once, but for one to a client that leaves', () =>
  forAll(
    200,
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 0, max: 24 }),
    fc.boolean(),
    async (tokens, twentyFourths, hasEnded) => {
      const hand = shareOf(twentyFourths / 24);
      const { refunds, thrown, logged } = await delivered(tokens, hand, hasEnded);
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

test('a response that was never handed over is refunded entirely, and its error passed on', async () => {
  const failure = new Error('gone');
  const { refunds, thrown } = await delivered(7, () => {
    throw failure;
  });
  expect([refunds, thrown]).toEqual([[7], failure]);
});

test('a refund that fails is logged', async () => {
  const { thrown, logged } = await delivered(14, shareOf(0));
  expect(thrown).toBeNull();
  const err = new LedgerUnavailable('the ledger is away');
  expect(logged).toEqual([[err, 'refund failed']]);
});

test('where the refund of a response that was not handed over fails as well, whether it was charged is unknown', async () => {
  const { refunds, thrown } = await delivered(13, () => {
    throw new Error('gone');
  });
  expect(refunds).toEqual([13]);
  expect(thrown).toBeInstanceOf(OutcomeUnknown);
});

test('a refusal of what costs more than the balance does not state a price that is a number of rows', () => {
  const refusal = tokensExhausted(5);
  expect(refusal).toMatchObject({
    slug: 'tokens-exhausted',
    message: 'the response costs more than the 5 tokens left; nothing was charged',
    members: { tokens_remaining: 5 },
    headers: { 'retry-after': '3600', 'x-tokens-remaining': '5' },
  });
  expect(Object.keys(refusal.members)).toEqual(['tokens_remaining']);
});

test('a refusal says whether a price is exact, a range, or the least', () => {
  const words = (...prices: number[]) =>
    /the response (.*), more/.exec(tokensExhausted(5, ...prices).message)?.[1];
  expect(words(11)).toBe('costs 11 tokens');
  expect(words(10, 12)).toBe('costs 10 to 12 tokens');
  expect(words(11, Number.POSITIVE_INFINITY)).toBe('costs at least 11 tokens');
});

test('a balance suffices if it covers the known price, or else the cheapest response', () => {
  expect([-1, 0, 1, 2].map((balance) => mayAfford(balance))).toEqual([false, false, true, true]);
  expect([9, 10, 11].map((balance) => mayAfford(balance, 10))).toEqual([false, true, true]);
});
