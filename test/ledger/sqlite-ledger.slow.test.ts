import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer, totalsOf } from '../support/account-totals.ts';
import { ROUTE } from '../support/customers.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { customersSuite } from './customers-suite.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import { ledgerSuite } from './ledger-suite.ts';
import { signInsSuite } from './sign-ins-suite.ts';

const run = promisify(execFile);
const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const newAddress = newSqliteLedgers();

beforeAll(() => ensureDebianPackage('sqlite3', 'sqlite3'));

customersSuite('the SQLite ledger', newAddress);
signInsSuite('the SQLite ledger', newAddress);
ledgerSuite('the SQLite ledger', newAddress);
idempotencySuite('the SQLite ledger', () => openLedger(newAddress(), OPTIONS));

test('processes that come and go next to a busy one lose no debit', async () => {
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
  for (let visit = 0; visit < 4; visit++) {
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
  const { granted, used } = await totalsOf(ledger, account);
  expect(granted).toBe(10_000_004);
  expect(reported).toBeGreaterThan(4);
  expect(used).toBeGreaterThanOrEqual(reported);
  expect(used - reported).toBeLessThanOrEqual(8);
});

test('a writer thread that dies amid debits is replaced, and no acknowledged debit is lost', async () => {
  const address = newAddress();
  const before = await openLedger(address, OPTIONS);
  const { account, keyId } = await openCustomer(before, { tokens: 1_000_000 });
  await before.close();
  const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: 1 };
  const program = runLedgerProgram(
    address,
    `const { Worker } = await import('node:worker_threads');
     const send = Worker.prototype.postMessage;
     let thread;
     Worker.prototype.postMessage = function (message) { thread = this; return send.call(this, message); };
     const threads = new Set();
     const lane = async () => {
       for (let made = 0; made < 200; made++) {
         const outcome = await ledger.debit(${JSON.stringify(charge)}).then((debit) => debit.outcome, (error) => error.name);
         threads.add(thread);
         say(outcome);
         if (made === 50 || made === 120) await thread.terminate();
       }
     };
     await lane();
     await Promise.all([lane(), lane(), lane()]);
     say(threads.size + ' threads');
     await ledger.close();`,
  );
  expect([await program.ended, program.output()]).toEqual([0, expect.any(String)]);
  const count = (outcome: string) => program.output().split(`${outcome}\n`).length - 1;
  expect(Number(/(\d+) threads/.exec(program.output())![1])).toBeGreaterThan(2);
  const [debited, unknown] = [count('debited'), count('OutcomeUnknown')];
  expect(debited + unknown).toBe(800);
  // A lane alone loses nothing. Three lanes lose what the others had under way at each of six
  // deaths.
  expect(unknown).toBeLessThanOrEqual(12);
  const ledger = await ofThisTest(openLedger(address, OPTIONS));
  const { granted, used } = await totalsOf(ledger, account);
  expect(granted).toBe(1_000_000);
  expect(used).toBeGreaterThanOrEqual(debited);
  expect(used).toBeLessThanOrEqual(debited + unknown);
});

test('a debit whose writer thread dies before it reports may have been made; the next is by another thread', async () => {
  const address = newAddress();
  const ledger = await ofThisTest(openLedger(address, OPTIONS));
  const { account, keyId } = await openCustomer(ledger, { tokens: 100 });
  const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: 1 };
  const program = runLedgerProgram(
    address,
    `const { Worker } = await import('node:worker_threads');
     const { emit } = Worker.prototype;
     let isFirst = true;
     Worker.prototype.emit = function (name, ...args) {
       if (name !== 'message' || !isFirst) return emit.call(this, name, ...args);
       isFirst = false;
       this.terminate();
       return true;
     };
     for (let debit = 0; debit < 2; debit++) {
       say(await ledger.debit(${JSON.stringify(charge)}).then(
         ({ outcome }) => outcome,
         ({ name }) => name,
       ));
     }
     await ledger.close();`,
  );
  expect([await program.ended, program.output()]).toEqual([0, 'OutcomeUnknown\ndebited\n']);
  expect((await totalsOf(ledger, account)).used).toBe(2);
});

test('the very next read sees another process’s commit, even within a turn of the event loop', async () => {
  const address = newAddress();
  const ledger = await ofThisTest(openLedger(address, OPTIONS));
  const { account, keyId, key } = await openCustomer(ledger, { tokens: 1 });
  const hash = hashApiKey(key);
  const other = runLedgerProgram(
    address,
    `const { readSync } = await import('node:fs');
     const admitted = async () => (await ledger.admit('${hash}', 1)).outcome;
     const first = await admitted();
     say('read');
     readSync(0, Buffer.alloc(1));
     say(first + ', then ' + (await admitted()));
     await ledger.close();`,
  );
  await other.says('read');
  expect(await ledger.setKeyDisabled(account, keyId, true, { by: 'operator', atMs: 1 })).toBe(true);
  other.tell('go');
  expect(await other.ended).toBe(0);
  expect(other.output()).toContain('admitted, then account-disabled');
});

test('every acknowledged debit is in the file that SQLite itself reads, and the file is intact', async () => {
  const address = newAddress();
  const ledger = await openLedger(address, OPTIONS);
  const { account, keyId } = await openCustomer(ledger, { tokens: 1_000 });
  const charge = { account, keyId, route: ROUTE, tokens: 3, atMs: 1 };
  await Promise.all(Array.from({ length: 100 }, () => ledger.debit(charge)));
  await ledger.close();
  const file = path.join(address.slice('sqlite:'.length), 'ledger.db');
  expect(await sqlite3(file, 'PRAGMA integrity_check')).toBe('ok');
  expect(await sqlite3(file, 'SELECT balance FROM accounts')).toBe('700');
  expect(await sqlite3(file, 'SELECT requests, tokens FROM usage')).toBe('100|300');
});

/**
 * Runs a statement through SQLite's own command-line tool, which waits for locks like other
 * processes.
 */
async function sqlite3(file: string, sql: string): Promise<string> {
  const { stdout } = await run('sqlite3', ['-cmd', '.timeout 60000', file, sql]);
  return stdout.trim();
}

test('the error for a folder that cannot be used names the folder', async () => {
  const file = path.join(await folderOfThisTest(), 'file');
  await writeFile(file, '');
  await expect(openLedger(`sqlite:${file}/below`, OPTIONS)).rejects.toThrow(LedgerUnavailable);
  await expect(openLedger(`sqlite:${file}/below`, OPTIONS)).rejects.toThrow(file);
  await expect(openLedger('mysql://x', OPTIONS)).rejects.toThrow(
    'a ledger address must be sqlite:DIR',
  );
});
