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
