import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

/**
 * Program that grants until the disk is full, continues once there is room again, and counts the
 * grants.
 */
const GRANT_UNTIL_FULL = `
  const { account } = await ledger.openAccount({ email: null, grant: null, by: 'operator', atMs: 1 });
  say('account ' + account.id);
  const grant = (n) => ledger.grant(account.id, { tokens: 1, cause: n + 'x'.repeat(1000), atMs: 1 }, 'operator');
  let granted = 0;
  try {
    for (;;) {
      await grant(granted);
      granted++;
    }
  } catch (error) {
    say(error.name + ': ' + error.message);
  }
  const hash = 'no such key';
  say('still reads: ' + (await ledger.admit(hash, 0)).outcome);
  const ping = () => ledger.ping().then(() => 'well', ({ name }) => name);
  say('full: ' + (await ping()));
  say('waits for room');
  const wait = () => new Promise((resolve) => setTimeout(resolve, 100));
  while (!(await grant('with room ').then(() => true, () => false))) await wait();
  say('with room: ' + (await ping()));
  say('granted ' + (granted + 1));
  await ledger.close();`;

test('a full disk is reported as such, ends no process, and loses no acknowledged change', async () => {
  const folder = await folderOfThisTest();
  const program = runLedgerProgram(`sqlite:${folder}`, GRANT_UNTIL_FULL, { maxFileBlocks: 3_000 });
  await program.says('waits for room');
  expect(program.output()).toContain(`LedgerUnavailable: ledger ${folder}: the disk is full`);
  expect(program.output()).toContain('still reads: invalid-key');
  const pid = String(program.child.pid);
  await promisify(execFile)('prlimit', ['--pid', pid, '--fsize=unlimited:']);
  expect([await program.ended, program.output()]).toEqual([0, expect.anything()]);

  expect(program.output()).toMatch(/full: LedgerUnavailable.*with room: well/s);

  const [, id] = /account (\S+)/.exec(program.output())!;
  const granted = Number(/granted (\d+)/.exec(program.output())![1]);
  expect(granted).toBeGreaterThan(50);
  const ledger = await ofThisTest(openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1 }));
  expect((await ledger.account(id))!.balance).toBe(granted);
  expect(await ledger.grants(id)).toHaveLength(granted);
});
