import { beforeEach, expect, test } from 'vitest';
import { WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer } from '../support/account-totals.ts';
import { BY, ROUTE } from '../support/customers.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofEachTest } from '../support/test-resources.ts';

const TOKENS = 10_000_000;
const folder = folderOfEachTest();
const ledger = ofEachTest(() => openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1_000_000 }));
let plainKey: string;
let charge: Charge;

beforeEach(async () => {
  const { account, keyId, key } = await openCustomer(ledger, { tokens: TOKENS });
  plainKey = key;
  charge = { account, keyId, route: ROUTE, tokens: 1, atMs: 1 };
});

test('grants, disablings and revocations by another process take effect at once', async () => {
  const admit = () => ledger.admit(hashApiKey(plainKey), 1);
  const elsewhere = async (body: string) => {
    const program = runLedgerProgram(
      `sqlite:${folder}`,
      `const { account, keyId } = ${JSON.stringify(charge)}; const by = ${JSON.stringify(BY)}; ${body}; await ledger.close();`,
    );
    expect([await program.ended, program.output()]).toEqual([0, '']);
  };
  expect(await admit()).toMatchObject({ outcome: 'admitted', member: false, balance: TOKENS });
  await elsewhere(`
    await ledger.grant(account, { tokens: 5, cause: 'elsewhere', atMs: 2 }, 'operator');
    await ledger.setMembership(account, ${JSON.stringify(WITHOUT_END)}, by)`);
  expect(await admit()).toMatchObject({ member: true, balance: TOKENS + 5 });
  await elsewhere('await ledger.setDisabled(account, true, by)');
  expect(await admit()).toEqual({ outcome: 'account-disabled' });
  await elsewhere('await ledger.setDisabled(account, false, by)');
  expect(await admit()).toMatchObject({ outcome: 'admitted' });
  await elsewhere('await ledger.revokeKey(account, keyId, by)');
  expect(await admit()).toEqual({ outcome: 'invalid-key' });
});

test('a neighbour killed in the middle of its debits blocks no other process, and the books add up', async () => {
  let debited = 0;
  let stop = false;
  const here = Array.from({ length: 8 }, async () => {
    while (!stop) {
      expect((await ledger.debit(charge)).outcome).toBe('debited');
      debited++;
    }
  });
  for (let i = 0; i < 5; i++) {
    const neighbour = runLedgerProgram(
      `sqlite:${folder}`,
      `const charge = ${JSON.stringify(charge)};
       await ledger.debit(charge);
       say('debits');
       await Promise.all(Array.from({ length: 32 }, async () => { for (;;) await ledger.debit(charge); }));`,
    );
    await neighbour.says('debits');
    await new Promise((resolve) => setTimeout(resolve, 50 + 37 * i));
    neighbour.child.kill('SIGKILL');
    await neighbour.ended;
    const before = debited;
    await expect.poll(() => debited).toBeGreaterThan(before + 100);
  }
  stop = true;
  await Promise.all(here);
  const [{ requests, tokens }] = await ledger.usage(charge.account);
  expect(requests).toBe(tokens);
  expect(tokens).toBeGreaterThan(debited);
  expect((await ledger.account(charge.account))!.balance).toBe(TOKENS - tokens);
});
