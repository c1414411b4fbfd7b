import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../portal/accounts/api-key.ts';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { booksOf, openCustomer } from '../support/books.ts';
import { ROUTE } from '../support/customers.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { newLmdbLedgers } from '../support/new-ledgers.ts';
import { ofThisTest } from '../support/of-tests.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { customersSuite } from './customers-suite.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import { ledgerSuite } from './ledger-suite.ts';
import { signInsSuite } from './sign-ins-suite.ts';

const run = promisify(execFile);
const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const newAddress = newLmdbLedgers();

customersSuite('the LMDB ledger', newAddress);
signInsSuite('the LMDB ledger', newAddress);
ledgerSuite('the LMDB ledger', newAddress);
idempotencySuite('the LMDB ledger', () => openLedger(newAddress(), OPTIONS));

test('processes that come and go beside a busy one lose no debit', async () => {
  const address = newAddress();
  const before = await openLedger(address, OPTIONS);
  const { account, keyId } = await openCustomer(before, { tokens: 10_000_000 });
  await before.close();
  const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: 1 };
  const busy = runLedgerProgram(
    address,
    `const lane = async () => { for (;;) { await ledger.debit(${JSON.stringify(charge)}); say('debited'); } };
     await Promise.all(Array.from({ length: 8 }, lane));`,
  );
  for (let visit = 0; visit < 12; visit++) {
    const visitor = runLedgerProgram(
      address,
      `await ledger.grant('${account}', { tokens: 1, cause: 'visit ${visit}', atMs: 1 }, 'operator');
       await ledger.close();`,
    );
    expect(await visitor.ended).toBe(0);
  }
  busy.child.kill('SIGKILL');
  await busy.ended;
  const reported = busy.output().split('debited').length - 1;
  const ledger = await ofThisTest(openLedger(address, OPTIONS));
  const { granted, used } = await booksOf(ledger, account);
  expect(granted).toBe(10_000_012);
  expect(reported).toBeGreaterThan(12);
  expect(used).toBeGreaterThanOrEqual(reported);
  expect(used - reported).toBeLessThanOrEqual(8);
});

test('what another process has committed is seen by the very next read, within a turn too', async () => {
  const address = newAddress();
  const ledger = await ofThisTest(openLedger(address, OPTIONS));
  const { account, keyId, key } = await openCustomer(ledger, { tokens: 1 });
  const hash = hashApiKey(key);
  const other = runLedgerProgram(
    address,
    `const admitted = async () => (await ledger.admit('${hash}', 1)).outcome;
     const first = await admitted();
     say('read');
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
     say(first + ', then ' + (await admitted()));
     await ledger.close();`,
  );
  await other.says('read');
  expect(await ledger.setKeyDisabled(account, keyId, true, { by: 'operator', atMs: 1 })).toBe(true);
  expect(await other.ended).toBe(0);
  expect(other.output()).toContain('admitted, then account-disabled');
});

test.each([1, 2, 3, 8])(
  'a commit noted %i too early, as by a process that has just opened the ledger, sets none back',
  async (commits) => {
    const address = newAddress();
    const ledger = await ofThisTest(openLedger(address, OPTIONS));
    const { account, keyId } = await openCustomer(ledger, { tokens: 1_000 });
    const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: 1 };
    for (let i = 0; i < 10; i++) await ledger.debit(charge);
    await noteEarlier(address, commits);
    await Promise.all([ledger.debit(charge), ledger.debit(charge)]);
    expect(await booksOf(ledger, account)).toMatchObject({ used: 12 });
    await noteEarlier(address, commits);
    const visitor = runLedgerProgram(
      address,
      `await ledger.debit(${JSON.stringify(charge)}); await ledger.close();`,
    );
    expect(await visitor.ended).toBe(0);
    await ledger.debit(charge);
    expect(await booksOf(ledger, account)).toMatchObject({ used: 14 });
  },
);

test('a ledger in the place of one that was removed has its own commits noted', async () => {
  const address = newAddress();
  for (let life = 1; life <= 2; life++) {
    const ledger = await openLedger(address, OPTIONS);
    const { account, keyId } = await openCustomer(ledger, { tokens: 1_000 });
    const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: 1 };
    for (let i = 0; i < 4; i++) await ledger.debit(charge);
    await noteEarlier(address, 1);
    await ledger.debit(charge);
    expect(await booksOf(ledger, account)).toMatchObject({ used: 5 });
    await ledger.close();
    await rm(folderOf(address), { recursive: true });
  }
});

const folderOf = (address: string) => address.slice('lmdb:'.length);

/** By a process of its own, whose end takes no lock of this one's with it. */
async function noteEarlier(address: string, commits: number): Promise<void> {
  const script = ['-e', NOTE_EARLIER, folderOf(address), String(commits)];
  const { stdout } = await run(process.execPath, script);
  expect(stdout.trim()).toBe('noted');
}

/** Takes from the number of the last commit in a lock file of LMDB, its second word of 64 bits. */
const NOTE_EARLIER = `
  const { openSync, readFileSync, writeSync } = require('node:fs');
  const [folder, commits] = process.argv.slice(1);
  const file = folder + '/lock.mdb';
  const number = readFileSync(file).readBigUInt64LE(8);
  const earlier = Buffer.alloc(8);
  earlier.writeBigUInt64LE(number - BigInt(commits));
  writeSync(openSync(file, 'r+'), earlier, 0, 8, 8);
  console.log('noted');`;

test('a folder that cannot be used is named', async () => {
  const file = path.join(await folderOfThisTest(), 'file');
  await writeFile(file, '');
  await expect(openLedger(`lmdb:${file}/below`, OPTIONS)).rejects.toThrow(LedgerUnavailable);
  await expect(openLedger(`lmdb:${file}/below`, OPTIONS)).rejects.toThrow(file);
  await expect(openLedger('mysql://x', OPTIONS)).rejects.toThrow('a ledger is given as lmdb:DIR');
});
