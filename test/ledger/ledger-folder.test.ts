import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { claimLedgerFolder } from '../../proxy/ledger/sqlite/ledger-folder.ts';
import { newAccount } from '../support/customers.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = path.join(folderOfEachTest(), 'deep', 'ledger');

/** Opens the ledger, creates an account in it, and closes it. */
async function use(): Promise<void> {
  const ledger = await openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1 });
  await newAccount(ledger);
  await ledger.close();
}

const modeOf = async (place: string) => ((await stat(place)).mode & 0o777).toString(8);

async function modes(): Promise<Record<string, string>> {
  const found: Record<string, string> = { '.': await modeOf(folder) };
  for (const name of await readdir(folder)) {
    // SQLite's own files next to the database come and go.
    if (!/-(wal|shm)$/.test(name)) found[name] = await modeOf(path.join(folder, name));
  }
  return found;
}

const PRIVATE = { '.': '700', 'ledger.db': '600' };

test('a new ledger is readable by its owner only', async () => {
  await use();
  expect(await modes()).toEqual(PRIVATE);
});

test('the files next to an open ledger are readable by its owner only', async () => {
  const ledger = await openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1 });
  await newAccount(ledger);
  for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) {
    expect(await modeOf(path.join(folder, name))).toBe('600');
  }
  await ledger.close();
});

test('a ledger can be claimed while another process closes it and the files next to it vanish', async () => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let isClaiming = true;
  const closes = async () => {
    while (isClaiming) {
      await writeFile(path.join(folder, 'ledger.db-wal'), '', { mode: 0o644 });
      await rm(path.join(folder, 'ledger.db-wal'));
    }
  };
  const closing = closes();
  try {
    for (let claim = 0; claim < 500; claim++) await claimLedgerFolder(folder);
  } finally {
    isClaiming = false;
    await closing;
  }
  expect(await modes()).toEqual(PRIVATE);
});

test('an empty folder that others have access to is made private', async () => {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777);
  await use();
  expect(await modes()).toEqual(PRIVATE);
});

test('a ledger that others have access to is made private, and keeps its contents', async () => {
  await use();
  await chmod(folder, 0o755);
  await chmod(path.join(folder, 'ledger.db'), 0o664);
  await use();
  expect(await modes()).toEqual(PRIVATE);
  const ledger = await openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1 });
  const accounts = [];
  for await (const { id } of ledger.allAccounts()) accounts.push(id);
  await ledger.close();
  expect(accounts).toHaveLength(2);
});

test('what a restoration has left is part of a ledger that others have access to', async () => {
  await use();
  const replaced = 'ledger.db.replaced-2026-11-28T22-50-00-000Z';
  const left = [replaced, `${replaced}-wal`, 'ledger.db.restoring', 'ledger.db-journal'];
  for (const name of left) await writeFile(path.join(folder, name), '');
  await chmod(folder, 0o755);
  await claimLedgerFolder(folder);
  expect(await modeOf(folder)).toBe('700');
  for (const name of left)
    expect([name, await modeOf(path.join(folder, name))]).toEqual([name, '600']);
});

test('a shared folder with other contents is refused and left untouched', async () => {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  await writeFile(path.join(folder, 'letters.txt'), '');
  await expect(use()).rejects.toThrow(LedgerUnavailable);
  await expect(use()).rejects.toThrow(
    `ledger ${folder}: other users can open this folder, and it contains other files, such as letters.txt; ` +
      `use a dedicated folder for the ledger (sqlite:${folder}/ledger), or have its owner run chmod 700 on it`,
  );
  expect(await modes()).toEqual({ '.': '755', 'letters.txt': '644' });
  await chmod(folder, 0o700);
  await use();
  expect(await modes()).toEqual({ ...PRIVATE, 'letters.txt': '644' });
});
