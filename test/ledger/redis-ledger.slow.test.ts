import { expect, test } from 'vitest';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { BY, issuedKey, newAccount, ROUTE } from '../support/customers.ts';
import { newRedisLedgers } from '../support/new-ledgers.ts';
import { ofThisTest } from '../support/test-resources.ts';

const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const newAddress = newRedisLedgers();

test('an Idempotency-Key that looks like an account name creates no account', async () => {
  const ledger = await ofThisTest(openLedger(newAddress(), OPTIONS));
  const { id: account } = await newAccount(ledger);
  await ledger.grant(account, { tokens: 5, cause: 'start', atMs: BY.atMs }, 'operator');
  const made = await issuedKey(ledger, account, '', BY.atMs);
  const charge = { account, keyId: made.key.id, route: ROUTE, tokens: 1, atMs: Date.now() };
  for (const key of ['x}:account', '{x}:account', 'x:account']) {
    const paid = await ledger.debitOnce(charge, { key, fingerprint: 'f' });
    expect(paid.outcome).toBe('debited');
  }
  const held = [];
  for await (const { id } of ledger.allAccounts()) held.push(id);
  expect(held).toEqual([account]);
});
