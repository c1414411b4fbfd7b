import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hashApiKey } from '../../portal/accounts/api-key.ts';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { newAccount, newKey, ROUTE } from '../support/customers.ts';
import { customersSuite } from './customers-suite.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import { ledgerSuite } from './ledger-suite.ts';
import { signInsSuite } from './sign-ins-suite.ts';

let folder: string;
let opened = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-lmdb-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const directory = () => path.join(folder, `ledger-${opened++}`);

customersSuite('the LMDB ledger', () => `lmdb:${directory()}`);
signInsSuite('the LMDB ledger', () => `lmdb:${directory()}`);
ledgerSuite('the LMDB ledger', () => `lmdb:${directory()}`);
idempotencySuite('the LMDB ledger', () => openLedger(`lmdb:${directory()}`, OPTIONS));

/** A process of its own that debits one token at a time, and says so after each. */
function debitor(at: string, account: string, keyId: string, inFlight: number) {
  const ledger = pathToFileURL(path.resolve('dist/portal/accounts/open-ledger.js'));
  const program = `
    import { writeSync } from 'node:fs';
    import { openLedger } from '${ledger}';
    const ledger = await openLedger('lmdb:${at}', { rateLimitPerMinute: 1 });
    const charge = { account: '${account}', keyId: '${keyId}', route: '${ROUTE}', tokens: 1, atMs: Date.now() };
    await Promise.all(Array.from({ length: ${inFlight} }, async () => {
      while ((await ledger.debit(charge)).outcome === 'debited') writeSync(1, '.');
    }));
    await ledger.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    acknowledged += chunk.length;
  });
  return { child, acknowledged: () => acknowledged };
}

/** Opens a ledger, grants a token to a new account, and closes; its exit code. */
async function openInAnotherProcess(at: string): Promise<number> {
  const ledger = pathToFileURL(path.resolve('dist/portal/accounts/open-ledger.js'));
  const program = `
    import { openLedger } from '${ledger}';
    const ledger = await openLedger('lmdb:${at}', { rateLimitPerMinute: 1 });
    const { account } = await ledger.openAccount({ email: null, grant: null, by: 'operator', atMs: 1 });
    await ledger.grant(account.id, { tokens: 1, cause: 'visit', atMs: 1 }, 'operator');
    await ledger.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const [code] = await once(child, 'close');
  return code;
}

async function accountWith(at: string, tokens: number) {
  const ledger = await openLedger(`lmdb:${at}`, OPTIONS);
  const account = await newAccount(ledger);
  await ledger.grant(account.id, { tokens, cause: 'start', atMs: 1 }, 'operator');
  const made = await newKey(ledger, account.id, '', 1);
  if (!made.created) throw new Error(made.reason);
  return { ledger, id: account.id, keyId: made.key.id, plainKey: made.plainKey };
}

test('kill −9 in a stream of debits loses none that was acknowledged, and the books add up', async () => {
  const at = directory();
  const { ledger, id, keyId } = await accountWith(at, 10_000_000);
  await ledger.close();
  let acknowledged = 0;
  for (const debits of [50, 500, 5_000]) {
    const { child, acknowledged: count } = debitor(at, id, keyId, 16);
    const closed = once(child, 'close');
    await vi.waitFor(() => expect(count()).toBeGreaterThan(debits), 20_000);
    child.kill('SIGKILL');
    await closed;
    acknowledged += count();
  }
  const again = await openLedger(`lmdb:${at}`, OPTIONS);
  const { balance } = (await again.account(id))!;
  const charged = (await again.usage(id)).reduce((sum, day) => sum + day.tokens, 0);
  await again.close();
  expect(balance + charged).toBe(10_000_000);
  expect(charged).toBeGreaterThanOrEqual(acknowledged);
  // What was in flight at each kill may have been charged; no more than that.
  expect(charged - acknowledged).toBeLessThanOrEqual(3 * 16);
});

test('two processes that debit at once take exactly what is there', async () => {
  const at = directory();
  const { ledger, id, keyId, plainKey } = await accountWith(at, 3_000);
  const workers = [debitor(at, id, keyId, 8), debitor(at, id, keyId, 8)];
  await Promise.all(workers.map(({ child }) => once(child, 'close')));
  const taken = workers.map((worker) => worker.acknowledged());
  expect(taken[0] + taken[1]).toBe(3_000);
  // A ledger that was open all the while sees what the others did.
  expect(await ledger.admit(hashApiKey(plainKey), 1)).toMatchObject({ balance: 0 });
  await ledger.close();
});

test('processes that come and go beside a busy one lose no debit', async () => {
  const at = directory();
  const { ledger, id, keyId } = await accountWith(at, 10_000_000);
  await ledger.close();
  const busy = debitor(at, id, keyId, 8);
  const busyClosed = once(busy.child, 'close');
  for (let visitor = 0; visitor < 12; visitor++) expect(await openInAnotherProcess(at)).toBe(0);
  busy.child.kill('SIGKILL');
  await busyClosed;
  const again = await openLedger(`lmdb:${at}`, OPTIONS);
  const charged = (await again.usage(id)).reduce((sum, day) => sum + day.tokens, 0);
  await again.close();
  expect(busy.acknowledged()).toBeGreaterThan(12);
  expect(charged).toBeGreaterThanOrEqual(busy.acknowledged());
  expect(charged - busy.acknowledged()).toBeLessThanOrEqual(8);
});

test('a folder that cannot be used is named', async () => {
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  await expect(openLedger(`lmdb:${file}/below`, OPTIONS)).rejects.toThrow(LedgerUnavailable);
  await expect(openLedger(`lmdb:${file}/below`, OPTIONS)).rejects.toThrow(file);
  await expect(openLedger('mysql://x', OPTIONS)).rejects.toThrow('a ledger is given as lmdb:DIR');
});
