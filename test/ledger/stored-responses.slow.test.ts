import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountId } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import type { Receipt } from '../../proxy/ledger/replays.ts';
import { newAccount, ROUTE } from '../support/customers.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const TOKENS = 10_000_000;
const NOON = Date.UTC(2026, 5, 1, 12);
const folder = folderOfEachTest();
let ledger: Ledger;
let account: AccountId;

const open = () => openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1 });

beforeEach(async () => {
  ledger = await open();
  account = (await newAccount(ledger)).id;
  await ledger.grant(account, { tokens: TOKENS, cause: 'start', atMs: NOON }, 'operator');
});
afterEach(() => ledger.close());

test('after kill −9 every acknowledged response is there, and debits match kept responses', async () => {
  await ledger.close();
  // Stores responses, eight at a time, with numbers as keys, until the process is killed.
  const program = runLedgerProgram(
    `sqlite:${folder}`,
    `let next = 0;
     const headers = { 'content-type': 'text/plain' };
     await Promise.all(Array.from({ length: 8 }, async () => {
       for (;;) {
         const n = next++;
         const charge = { account: '${account}', keyId: 'key', route: '${ROUTE}', tokens: 1 + (n % 5), atMs: ${NOON} };
         const made = await ledger.debitOnce(charge, { key: 'n' + n, fingerprint: 'f' + n });
         await ledger.storeResponse(made.receipt, { headers, gzip: Buffer.from('response ' + n) });
         say('kept ' + n + '.');
       }
     }));`,
  );
  await program.says('kept 500.');
  program.child.kill('SIGKILL');
  await program.ended;
  const acknowledged = [...program.output().matchAll(/kept (\d+)\./g)].map(([, n]) => Number(n));

  ledger = await open();
  const replayed = async (n: number) => {
    const response = await ledger.replay(account, { key: `n${n}`, fingerprint: `f${n}` }, NOON);
    if (response?.outcome !== 'replayed') return undefined;
    const { response: kept, tokens } = response;
    if (kept) expect(kept).toMatchObject({ gzip: new Uint8Array(Buffer.from(`response ${n}`)) });
    expect(tokens).toBe(1 + (n % 5));
    return { tokens, isKept: kept !== null };
  };
  for (const n of acknowledged) expect(await replayed(n)).toMatchObject({ isKept: true });
  // Deliveries in flight at the kill count too: a debited response can be replayed.
  const all = Array.from({ length: Math.max(...acknowledged) + 20 }, (_, n) => replayed(n));
  const kept = (await Promise.all(all)).reduce((sum, made) => sum + (made?.tokens ?? 0), 0);
  expect((await ledger.account(account))!.balance).toBe(TOKENS - kept);
});

test('kill −9 amid refunds: each debit is refunded once, before the kill or after it', async () => {
  const debit = async (_: unknown, n: number): Promise<Receipt> => {
    const charge = { account, keyId: 'key', route: ROUTE, tokens: 1 + (n % 5), atMs: NOON };
    const made = await ledger.debitOnce(charge, { key: `n${n}`, fingerprint: 'f' });
    if (made.outcome !== 'debited') throw new Error(made.outcome);
    return made.receipt;
  };
  const receipts = await Promise.all(Array.from({ length: 600 }, debit));
  // Refunds most of the debits, and then waits to be killed, however late that is.
  const program = runLedgerProgram(
    `sqlite:${folder}`,
    `const receipts = ${JSON.stringify(receipts)};
     await Promise.all(Array.from({ length: 4 }, async (_, lane) => {
       for (let n = lane; n < receipts.length - 100; n += 4) {
         await ledger.undeliver(receipts[n]);
         say('undone ' + n + '.');
       }
     }));
     setInterval(() => {}, 1000);`,
  );
  await program.says('undone 100.');
  program.child.kill('SIGKILL');
  await program.ended;
  const undone = [...program.output().matchAll(/undone \d+\./g)].length;
  const [{ requests }] = await ledger.usage(account);
  expect(requests).toBeLessThanOrEqual(receipts.length - undone);
  expect(requests).toBeGreaterThan(0);
  await Promise.all(receipts.map((receipt) => ledger.undeliver(receipt)));
  expect(await ledger.usage(account)).toEqual([]);
  expect((await ledger.account(account))!.balance).toBe(TOKENS);
});
