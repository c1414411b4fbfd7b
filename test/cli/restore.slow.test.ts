import { execFile } from 'node:child_process';
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { ROUTE } from '../support/customers.ts';
import { runLedgerProgram } from '../support/ledger-program.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { tta, ttaIn } from '../support/tta.ts';

const ROUNDS = Number(process.env.RESTORE_ROUNDS ?? 1);
const TOKENS = 10_000_000;
const folder = folderOfEachTest();
const place = () => path.join(folder, 'ledger');
const database = () => path.join(place(), 'ledger.db');
const backup = () => path.join(folder, 'ledger-backup.db');

/** The commands for backups that the documentation shows, with the places of this test. */
async function documented(): Promise<string[][]> {
  const text = await readFile('infra/docs/operating.md', 'utf8');
  const lines = text.split('\n').filter((line) => /^npx tta accounts (backup|restore) /.test(line));
  return lines.map((line) =>
    line
      .replace('ledger-backup.db', backup())
      .replace('sqlite:./ledger', `sqlite:${place()}`)
      .split(' ')
      .slice(2),
  );
}

/** The integrity, tokens, and debits of a database, as SQLite alone reads it. */
function contents(file: string) {
  const db = new DatabaseSync(file);
  const one = (sql: string) => Object.values(db.prepare(sql).get() as object)[0];
  try {
    return {
      integrity: one('PRAGMA integrity_check'),
      balance: one('SELECT sum(balance) FROM accounts'),
      granted: one('SELECT sum(tokens) FROM grants'),
      used: one('SELECT sum(tokens) FROM usage'),
    };
  } finally {
    db.close();
  }
}

/** Starts a process that debits one token after another, from a new customer. */
async function spender() {
  const { account, keyId } = await customer();
  const charge = JSON.stringify({ account, keyId, route: ROUTE, tokens: 1, atMs: 1 });
  return runLedgerProgram(
    `sqlite:${place()}`,
    `let debits = 0;
     await Promise.all(Array.from({ length: 16 }, async () => {
       for (;;) {
         await ledger.debit({ ...${charge}, route: 'GET /' + (debits * 7919) % 100003 });
         if (++debits % 1000 === 0) say('thousand ' + debits / 1000 + '.');
       }
     }));`,
  );
}

/**
 * Creates a customer in a process of its own, since a closed connection keeps its locks until its
 * statements are garbage-collected.
 */
async function customer(): Promise<{ account: string; keyId: string }> {
  const ledger = ['--ledger', `sqlite:${place()}`];
  const made = JSON.parse(
    (await tta('keys', 'create', '--tokens', `${TOKENS}`, '--json', ...ledger)).stdout,
  );
  return { account: made.account, keyId: made.prefix };
}

test('a backup taken under load is restored exactly after kill -9, by the documented commands', async () => {
  const [backUp, restore] = await documented();
  expect([backUp[1], restore[1]]).toEqual(['backup', 'restore']);
  for (let round = 0; round < ROUNDS; round++) {
    const program = await spender();
    await program.says('thousand 1.');
    expect(await tta(...backUp)).toMatchObject({ code: 0 });
    expect((await stat(backup())).mode & 0o777).toBe(0o600);
    expect((await tta(...backUp)).stderr).toBe(`tta: ${backup()}: already exists\n`);
    await program.says('thousand 2.');
    const refused = await tta(...restore);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('has it open')]);
    program.child.kill('SIGKILL');
    await program.ended;
    expect((await stat(`${database()}-wal`)).size).toBeGreaterThan(0);
    const before = contents(backup());
    expect(before).toMatchObject({ integrity: 'ok' });
    expect(before.used).toBeGreaterThan(0);
    expect(await tta(...restore)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('restore: '),
    });
    const files = await readdir(place());
    const [kept] = files.filter((name) => name.includes('.replaced-'));
    expect(files.sort()).toEqual(['ledger.db', kept]);
    expect((await stat(database())).mode & 0o777).toBe(0o600);
    expect(contents(database())).toEqual(before);
    expect(before.balance).toBe(Number(before.granted) - Number(before.used));
    const replaced = contents(path.join(place(), kept));
    expect(replaced.integrity).toBe('ok');
    expect(Number(replaced.used)).toBeGreaterThan(Number(before.used));
    await rm(path.join(place(), kept));
    await rm(backup());
  }
});

test('what a killed backup has left is gone after the next one, whatever its file', async () => {
  await customer();
  const [backUp] = await documented();
  const killedBeforeTheName = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    fs.link = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
  `;
  const code = `--import=data:text/javascript,${encodeURIComponent(killedBeforeTheName)}`;
  await ttaIn({ NODE_OPTIONS: code }, ...backUp);
  const left = (await readdir(folder)).filter((name) => name !== 'ledger');
  expect(left).toHaveLength(1);
  expect((await stat(path.join(folder, left[0]))).mode & 0o077).toBe(0);
  expect(await tta(...backUp.with(2, path.join(folder, 'tomorrow.db')))).toMatchObject({ code: 0 });
  expect(await tta(...backUp)).toMatchObject({ code: 0 });
  expect((await readdir(folder)).sort()).toEqual(['ledger', 'ledger-backup.db', 'tomorrow.db']);
  const nowhere = path.join(folder, 'none', 'ledger.db');
  expect((await tta(...backUp.with(2, nowhere))).stderr).toBe(`tta: ${nowhere}: no such file\n`);
});

test('a log next to a file that it does not belong to is refused and left alone, until a restoration', async () => {
  const [backUp, restore] = await documented();
  const program = await spender();
  await tta(...backUp);
  await program.says('thousand 8.');
  program.child.kill('SIGKILL');
  await program.ended;
  await copyFile(backup(), database());
  const log = await readFile(`${database()}-wal`);
  for (const command of [['accounts', 'list'], backUp.with(2, `${backup()}.2`)]) {
    const { code, stderr } = await tta(...command.slice(0, 3), '--ledger', `sqlite:${place()}`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^tta: ledger .* do not belong/)]);
  }
  expect((await readFile(`${database()}-wal`)).equals(log)).toBe(true);
  expect((await readFile(database())).equals(await readFile(backup()))).toBe(true);
  const before = contents(backup());
  expect(await tta(...restore)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('restore: '),
  });
  expect(contents(database())).toEqual(before);
});

test('an older copy of a ledger with a newer log whose pages fit is refused, since its books do not add up', async () => {
  const { account, keyId } = await customer();
  const charge = JSON.stringify({ account, keyId, route: ROUTE, tokens: 1, atMs: 1 });
  const then = async (change: string) =>
    runLedgerProgram(`sqlite:${place()}`, `await ${change}; process.kill(process.pid, 'SIGKILL');`)
      .ended;
  for (const file of [backup(), `${backup()}.2`]) {
    // Another connection then writes the log into the file.
    await then(`ledger.debit(${charge});
      const { DatabaseSync } = await import('@photostructure/sqlite');
      new DatabaseSync('${database()}').exec('PRAGMA wal_checkpoint(TRUNCATE)')`);
    expect((await stat(`${database()}-wal`)).size).toBe(0);
    await copyFile(database(), file);
  }
  await then(`ledger.grant('${account}', { tokens: 1, cause: 'more', atMs: 1 }, 'operator')`);
  const list = ['accounts', 'list', '--ledger', `sqlite:${place()}`];
  await copyFile(backup(), database());
  expect(await tta(...list)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the tokens of account ${account} do not add up`),
  });
  await copyFile(`${backup()}.2`, database());
  expect(await tta(...list)).toMatchObject({ code: 0 });
});

test('a file that is no intact backup is refused, and the ledger stays', async () => {
  await customer();
  const [backUp, restore] = await documented();
  await tta(...backUp);
  const whole = await readFile(backup());
  const before = await readFile(database());
  for (const [bytes, said] of [
    [whole.subarray(0, whole.length / 2), 'is not an intact backup of a ledger'],
    [Buffer.from('no database'), 'is not an intact backup of a ledger'],
    [Buffer.alloc(0), 'is not an intact backup of a ledger (it holds no ledger)'],
  ] as const) {
    await writeFile(backup(), bytes);
    const { code, stderr } = await tta(...restore);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`tta: ${backup()}: ${said}`)]);
  }
  await rm(backup());
  expect((await tta(...restore)).stderr).toBe(`tta: ${backup()}: no such file\n`);
  expect((await readFile(database())).equals(before)).toBe(true);
  // A ledger whose very header is destroyed can be replaced too.
  await writeFile(backup(), whole);
  await writeFile(database(), 'nothing but text, in the place of a ledger'.repeat(200));
  expect(await tta(...restore)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('restore: '),
  });
  expect(contents(database())).toMatchObject({ integrity: 'ok' });
});

test.runIf(process.platform === 'linux')(
  'a stopped process that keeps the ledger locked is named, and the next command works when it continues',
  async () => {
    await customer();
    const program = runLedgerProgram(
      `sqlite:${place()}`,
      `const { DatabaseSync } = await import('@photostructure/sqlite');
       const db = new DatabaseSync(${JSON.stringify(database())});
       db.exec('BEGIN IMMEDIATE');
       say('locked');
       for await (const _ of heard) db.exec('COMMIT');`,
    );
    await program.says('locked');
    program.child.kill('SIGSTOP');
    const create = ['keys', 'create', '--tokens', '7', '--ledger', `sqlite:${place()}`];
    const { code, stderr } = await tta(...create);
    const { pid } = program.child;
    expect([code, stderr]).toEqual([1, expect.stringContaining(`: process ${pid} (`)]);
    expect(stderr).toContain(', stopped) keeps it locked; let it continue');
    await promisify(execFile)('kill', ['-CONT', `${pid}`]);
    program.tell('go on');
    expect(await tta(...create)).toMatchObject({ code: 0 });
    program.child.kill('SIGKILL');
  },
);
