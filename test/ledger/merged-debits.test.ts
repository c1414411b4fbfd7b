import fc from 'fast-check';
import { expect, test } from 'vitest';
import { account, grants } from '../../proxy/ledger/sqlite/account-state.ts';
import { openAccount } from '../../proxy/ledger/sqlite/accounts.ts';
import { usage } from '../../proxy/ledger/sqlite/balances.ts';
import { mergeDebits } from '../../proxy/ledger/sqlite/merged-debits.ts';
import type { Write } from '../../proxy/ledger/sqlite/operations.ts';
import { SqlConnection } from '../../proxy/ledger/sqlite/sql-connection.ts';
import { commitGroup } from '../../proxy/ledger/sqlite/writer.ts';
import { forAll } from '../support/for-all.ts';

const DAY_MS = 86_400_000;
const NAMES = ['first', 'second'];

/** Accounts in memory with one account per name, opened in the order of the names. */
function newBooks(tokens: number) {
  const db = new SqlConnection(':memory:');
  const ids = NAMES.map(() => {
    const grant = { tokens, cause: 'signup', atMs: 0 };
    return openAccount(db, { email: null, grant, by: 'operator', atMs: 0 }).account.id;
  });
  const read = () =>
    ids.map((id) => ({
      balance: account(db, id)!.balance,
      usage: usage(db, id),
      grants: grants(db, id),
    }));
  return { db, ids, read };
}

/** A change of an account, as a function of the ids of all accounts. */
type Change = (ids: readonly string[]) => Write;

const debit = fc
  .record({
    who: fc.nat(1),
    key: fc.constantFrom('key', 'other key'),
    route: fc.constantFrom('GET /a', 'GET /b'),
    tokens: fc.oneof(
      { weight: 12, arbitrary: fc.nat(9) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER) },
    ),
    atMs: fc.oneof(
      fc.nat(5),
      fc.nat(5).map((ms) => DAY_MS - ms),
    ),
  })
  .map(
    ({ who, key, route, tokens, atMs }): Change =>
      (ids) => ({ name: 'debit', args: [{ account: ids[who], keyId: key, route, tokens, atMs }] }),
  );
const grant = fc
  .record({ who: fc.nat(1), tokens: fc.nat(20), cause: fc.constantFrom('a', 'b', 'c') })
  .map(
    ({ who, tokens, cause }): Change =>
      (ids) => ({ name: 'grant', args: [ids[who], { tokens, cause, atMs: 1 }, 'operator'] }),
  );
const unknown = fc.constant<Change>(() => ({
  name: 'debit',
  args: [{ account: 'nobody', keyId: 'key', route: 'GET /a', tokens: 1, atMs: 1 }],
}));
const change = fc.oneof(
  { weight: 12, arbitrary: debit },
  { weight: 2, arbitrary: grant },
  { weight: 1, arbitrary: unknown },
);

test('a merged group of changes has the outcomes and records of running them one after another', () =>
  forAll(120, fc.nat(60), fc.array(change, { maxLength: 30 }), (tokens, changes) => {
    const [merged, single] = [newBooks(tokens), newBooks(tokens)];
    const { writes, outcomesOf } = mergeDebits(changes.map((of) => of(merged.ids)));
    const outcomes = outcomesOf(commitGroup(merged.db, writes));
    const expected = changes.flatMap((of) => commitGroup(single.db, [of(single.ids)]));
    expect(outcomes.map(shown)).toEqual(expected.map(shown));
    expect(merged.read()).toEqual(single.read());
  }));

/**
 * Comparable form of an outcome. An error is reduced to its class: ids differ between the books,
 * and so do messages that contain them.
 */
function shown(outcome: object): unknown {
  return 'error' in outcome ? (outcome.error as Error).constructor.name : outcome;
}

test('debits of one key on one route and day are one change', () => {
  const charge = { account: 'a', keyId: 'key', route: 'GET /a', tokens: 1, atMs: 5 };
  const group = Array.from({ length: 64 }, () => ({ name: 'debit' as const, args: [charge] }));
  expect(mergeDebits(group).writes).toHaveLength(1);
});

test('alternating debits of two accounts are two changes', () => {
  const group = Array.from({ length: 64 }, (_, i) => ({
    name: 'debit' as const,
    args: [{ account: `${i % 2}`, keyId: 'key', route: 'GET /a', tokens: 1, atMs: 5 }],
  }));
  expect(mergeDebits(group).writes).toHaveLength(2);
});

test('as many debits as a client can send are one change', () => {
  const { db, ids } = newBooks(1_000_000);
  const charge = { account: ids[0], keyId: 'key', route: 'GET /a', tokens: 1, atMs: 5 };
  const group = Array.from({ length: 200_000 }, () => ({ name: 'debit' as const, args: [charge] }));
  const { writes, outcomesOf } = mergeDebits(group);
  expect(outcomesOf(commitGroup(db, writes)).at(-1)).toEqual({
    value: { outcome: 'debited', balance: 800_000 },
  });
});

test('a debit without a time fails alone', () => {
  const { db, ids } = newBooks(10);
  const charge = { account: ids[0], keyId: 'key', route: 'GET /a', tokens: 1, atMs: 5 };
  const group = [charge, { ...charge, atMs: Number.NaN }, charge].map((one) => ({
    name: 'debit' as const,
    args: [one],
  }));
  const { writes, outcomesOf } = mergeDebits(group);
  expect(outcomesOf(commitGroup(db, writes)).map(shown)).toEqual([
    { value: { outcome: 'debited', balance: 9 } },
    'RangeError',
    { value: { outcome: 'debited', balance: 8 } },
  ]);
});
