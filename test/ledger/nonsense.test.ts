import { expect, test } from 'vitest';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { totalsOf } from '../support/account-totals.ts';
import { newAccount, ROUTE } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { ofTests } from '../support/test-resources.ts';

const newAddress = newSqliteLedgers();
const ledger = ofTests(() => openLedger(newAddress(), { rateLimitPerMinute: 1 }));

const NOON = Date.UTC(2026, 5, 1, 12);

async function accountWith(tokens: number): Promise<AccountId> {
  const { id } = await newAccount(ledger);
  await ledger.grant(id, { tokens, cause: 'start', atMs: NOON }, 'operator');
  return id;
}

const untouched = { balance: 100, granted: 100, used: 0, requests: 0 };

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 2 ** 60])(
  '%d tokens are neither debited nor refunded nor granted',
  async (tokens) => {
    const id = await accountWith(100);
    const charge = { account: id, keyId: 'key', route: ROUTE, tokens, atMs: NOON };
    await expect(ledger.debit(charge)).rejects.toThrow(RangeError);
    await expect(ledger.refund(charge)).rejects.toThrow(RangeError);
    await expect(
      ledger.grant(id, { tokens, cause: 'more', atMs: NOON }, 'operator'),
    ).rejects.toThrow(RangeError);
    expect(await totalsOf(ledger, id)).toEqual(untouched);
  },
);

test('a debit without a valid time changes nothing', async () => {
  const id = await accountWith(100);
  const charge = { account: id, keyId: 'key', route: ROUTE, tokens: 10, atMs: NOON };
  await expect(ledger.debit({ ...charge, atMs: Number.NaN })).rejects.toThrow();
  await expect(ledger.refund({ ...charge, atMs: Number.NaN })).rejects.toThrow();
  expect(await totalsOf(ledger, id)).toEqual(untouched);
});

test('a refused debit does not affect others submitted with it', async () => {
  const id = await accountWith(100);
  const charge = { account: id, keyId: 'key', route: ROUTE, tokens: 10, atMs: NOON };
  const outcomes = await Promise.allSettled([
    ledger.debit(charge),
    ledger.debit({ ...charge, atMs: Number.NaN }),
    ledger.debit({ ...charge, account: 'no such account' }),
    ledger.debit(charge),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(await totalsOf(ledger, id)).toMatchObject({ balance: 80, granted: 100, used: 20 });
});

test('nothing is refunded that was not debited', async () => {
  const id = await accountWith(100);
  const charge = { account: id, keyId: 'key', route: ROUTE, tokens: 10, atMs: NOON };
  await ledger.debit(charge);
  await ledger.refund(charge);
  await expect(ledger.refund(charge)).rejects.toThrow(/refund/);
  expect(await totalsOf(ledger, id)).toEqual(untouched);
});

test('an account whose address cannot be stored is not created', async () => {
  const count = async () => {
    let accounts = 0;
    for await (const _ of ledger.allAccounts()) accounts++;
    return accounts;
  };
  const before = await count();
  const email = `${'a'.repeat(3_000)}@example.org`;
  await expect(newAccount(ledger, { email })).rejects.toThrow();
  expect(await count()).toBe(before);
});
