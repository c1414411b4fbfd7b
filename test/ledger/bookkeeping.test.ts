import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_CAUSE_BYTES } from '../../proxy/ledger/accounts.ts';
import {
  dayOf,
  grantsInOrder,
  keysInOrder,
  noDebit,
  requireGrant,
  requireIdempotencyKey,
  requireRefund,
  requireTokens,
  signupGrant,
  usageInOrder,
} from '../../proxy/ledger/bookkeeping.ts';
import { LastUses } from '../../proxy/ledger/last-uses.ts';
import { rateState } from '../../proxy/ledger/rate-window.ts';
import { MAX_IDEMPOTENCY_KEY } from '../../proxy/ledger/replays.ts';
import { PLANS } from '../../proxy/plans.ts';
import { forAll } from '../support/for-all.ts';

const grant = (tokens: number, cause = 'cause') => ({ tokens, cause, atMs: 0 });
const charge = (tokens: number) => {
  return { account: 'a', keyId: 'k', route: 'GET /', tokens, atMs: 0 };
};

test('tokens are whole numbers from 0 up that add up exactly', () => {
  for (const tokens of [0, 1, 2 ** 53 - 1]) expect(() => requireTokens(tokens)).not.toThrow();
  for (const tokens of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => requireTokens(tokens)).toThrow(`a whole number of at least 0, not ${tokens}`);
  }
});

test('a grant has a limit and a cause; the cause is measured in bytes', () => {
  expect(() => requireGrant(grant(1e12))).not.toThrow();
  expect(() => requireGrant(grant(1e12 + 1))).toThrow('limited to 1000000000000 tokens');
  expect(() => requireGrant(grant(-1))).toThrow('at least 0');
  for (const [cause, fits] of [
    ['', false],
    ['é'.repeat(MAX_CAUSE_BYTES / 2), true],
    [`a${'é'.repeat(MAX_CAUSE_BYTES / 2)}`, false],
  ] as const) {
    const check = expect(() => requireGrant(grant(1, cause)));
    if (fits) check.not.toThrow();
    else check.toThrow('the cause of a grant must be 1 to 1500 bytes');
  }
});

test('a refund is at most the charge, and both are tokens', () => {
  expect(() => requireRefund(charge(5), 5)).not.toThrow();
  expect(() => requireRefund(charge(5), 0)).not.toThrow();
  expect(() => requireRefund(charge(5), 6)).toThrow('cannot refund 6 tokens');
  expect(() => requireRefund(charge(5), 0.5)).toThrow('a whole number');
  expect(() => requireRefund(charge(5.5), 5)).toThrow('a whole number');
});

test('an Idempotency-Key has 1 to 255 characters', () => {
  const check = (length: number) =>
    expect(() => requireIdempotencyKey({ key: 'x'.repeat(length), fingerprint: 'f' }));
  check(1).not.toThrow();
  check(MAX_IDEMPOTENCY_KEY).not.toThrow();
  check(0).toThrow('must be 1 to 255 characters');
  check(MAX_IDEMPOTENCY_KEY + 1).toThrow('must be 1 to 255 characters');
});

test('a refund without a debit names the account and the tokens', () => {
  expect(noDebit(charge(5)).message).toBe('no debit of 5 tokens to refund to a');
});

test('the sign-up grant has the tokens of the free plan and the cause signup', () => {
  expect(signupGrant(7)).toEqual({ tokens: PLANS.free_grant.tokens, cause: 'signup', atMs: 7 });
});

test('the day of a time is that of its ISO form in UTC, independent of earlier calls', () =>
  forAll(300, fc.date({ min: new Date('2020-01-01'), max: new Date('2020-01-04') }), (date) => {
    if (Number.isNaN(date.getTime())) return;
    expect(dayOf(date.getTime())).toBe(date.toISOString().split('T')[0]);
  }));

test('lists are sorted by time and then by name, and usage without requests is left out', () => {
  const by = <T>(order: (list: readonly T[]) => T[], sorted: readonly T[]) => {
    const given = [...sorted].reverse();
    expect(order(given)).toEqual(sorted);
    expect(order(sorted)).toEqual(sorted);
    // The given list is unchanged.
    expect(given).toEqual([...sorted].reverse());
  };
  by(grantsInOrder, [
    { ...grant(1, 'z'), atMs: 1 },
    { ...grant(1, 'a'), atMs: 2 },
    { ...grant(1, 'b'), atMs: 2 },
  ]);
  const key = { prefix: '', label: '', lastUsedAtMs: null, disabled: false, revokedAtMs: null };
  by(keysInOrder, [
    { ...key, id: 'z', createdAtMs: 1 },
    { ...key, id: 'a', createdAtMs: 2 },
    { ...key, id: 'b', createdAtMs: 2 },
  ]);
  const usage = (day: string, keyId: string, route: string, requests = 1) => {
    return { day, keyId, route, requests, tokens: 0, lastAtMs: 0 };
  };
  by(usageInOrder, [
    usage('2026-01-01', 'b', 'b'),
    usage('2026-01-02', 'a', 'b'),
    usage('2026-01-02', 'b', 'a'),
    usage('2026-01-02', 'b', 'b'),
  ]);
  expect(usageInOrder([usage('2026-01-01', 'a', 'a', 0)])).toEqual([]);
});

test('the use of a key is noted once a minute, and again if noting it failed or the clock was set back', () => {
  const uses = new LastUses();
  expect(uses.isDue('hash', 100_000)).toBe(true);
  uses.noted('hash', 100_000);
  expect(uses.isDue('hash', 159_999)).toBe(false);
  expect(uses.isDue('hash', 160_000)).toBe(true);
  expect(uses.isDue('hash', 40_001)).toBe(false);
  expect(uses.isDue('hash', 40_000)).toBe(true);
  expect(uses.isDue('another', 100_000)).toBe(true);
  uses.forget('hash');
  expect(uses.isDue('hash', 100_000)).toBe(true);
});

test('the rest of a window is reported in whole seconds, at least one', () => {
  const window = { limit: 5, windowSeconds: 60 };
  for (const [elapsedMs, resetSeconds] of [
    [0, 60],
    [1, 60],
    [1_000, 59],
    [59_001, 1],
    [60_000, 1],
  ]) {
    expect(rateState(window, 2, elapsedMs)).toEqual({ ...window, remaining: 3, resetSeconds });
  }
});
