import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../portal/accounts/api-key.ts';
import type { Ledger } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { booksOf } from '../support/books.ts';
import { BY, issuedKey, ROUTE } from '../support/customers.ts';
import { ofTests } from '../support/of-tests.ts';
import { startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, TTA, tta as ttaAlone } from '../support/tta.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const ACCOUNTS = 12;

const folder = folderOfTests();
const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);
const redis = ofTests(() => startRedis());

async function using<T>(address: string, use: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(address, { rateLimitPerMinute: 1_000 });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}

/** Fills a ledger with customers of every kind; returns the plain key of one of them. */
async function fill(ledger: Ledger): Promise<string> {
  let plainKey = '';
  await ledger.secret('cursors');
  for (let i = 0; i < ACCOUNTS; i++) {
    const email = i % 4 === 3 ? null : `Some.One${i}@gmail.com`;
    const order = { email, by: 'owner', atMs: NOON + i } as const;
    const { id } = (await ledger.openAccount(order)).account;
    const made = await issuedKey(ledger, id, `key “${i}”`, NOON);
    if (i === 1) plainKey = made.plainKey;
    await ledger.admit(hashApiKey(made.plainKey), NOON);
    const charge = { account: id, keyId: made.key.id, route: ROUTE, tokens: 7 * i, atMs: NOON };
    await ledger.debit(charge);
    await ledger.debit({ ...charge, route: 'GET /other', atMs: NOON + 86_400_000 });
    await ledger.takeBack(id, { tokens: i, cause: 'refund re_1', atMs: NOON }, 'payment');
    if (i % 3 === 0) await ledger.setKeyDisabled(id, made.key.id, true, BY);
    if (i % 5 === 0) await ledger.revokeKey(id, made.key.id, BY);
    if (i % 2 === 0) await ledger.setCustomer(id, `cus_${i}`);
    const until = { untilMs: NOON + i, renewsAtMs: NOON, subscription: `sub_${i}` };
    if (i % 2 === 1) await ledger.setMembership(id, { status: 'ending', ...until }, BY);
    if (i === 8) await ledger.setDisabled(id, true, BY);
    if (i === 10) await ledger.setDisabled(id, true, BY);
    if (i === 9 || i === 10) await ledger.closeAccount(id, BY);
  }
  return plainKey;
}

/** The full contents of a ledger, by account. */
async function everything(ledger: Ledger): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>([['secrets', await ledger.secrets()]]);
  all.set('former mailboxes', new Set(await ledger.formerMailboxes()));
  for await (const account of ledger.allAccounts()) {
    const { id } = account;
    const { granted, used, balance } = await booksOf(ledger, id);
    expect(balance).toBe(granted - used);
    const of = [ledger.keys(id), ledger.grants(id), ledger.usage(id), ledger.audit(id)];
    all.set(id, [account, ...(await Promise.all<unknown>(of))]);
  }
  return all;
}

test('a ledger moves from SQLite to Redis and back unchanged', async () => {
  const [first, second] = ['one', 'two'].map((name) => `sqlite:${path.join(folder, name)}`);
  const plainKey = await using(first, fill);
  const before = await using(first, everything);
  expect(before.size).toBe(ACCOUNTS + 2);
  const ledgers = [first, redis.address(), second];
  for (const [i, to] of ledgers.slice(1).entries()) {
    const file = path.join(folder, `export-${i}.jsonl`);
    const exported = await tta('accounts', 'export', file, '--ledger', ledgers[i]);
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    expect(exported.stderr).toMatch(/^export: 12 accounts with [\d,]+ tokens/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const imported = await tta('accounts', 'import', file, '--ledger', to);
    expect(imported.stderr).toMatch(
      /^(created the ledger sqlite:.*\n)?import: 12 accounts with [\d,]+ tokens imported, 0 already existed/,
    );
    expect(imported.stderr.match(/with ([\d,]+) tokens/)![1]).toBe(
      exported.stderr.match(/with ([\d,]+) tokens/)![1],
    );
    expect(await using(to, everything)).toEqual(before);
    // Importing again changes nothing and undoes nothing that has happened since.
    const twice = await tta('accounts', 'import', file, '--ledger', to);
    expect(twice.stderr).toContain('0 accounts with 0 tokens imported, 12 already existed');
    expect(await using(to, everything)).toEqual(before);
    await using(to, async (ledger) => {
      const admitted = await ledger.admit(hashApiKey(plainKey), NOON);
      expect(admitted.outcome).toBe('admitted');
      // Neither existing nor departed customers get a second sign-up grant.
      const again = { email: 'someone1+x@gmail.com', by: 'owner', atMs: NOON } as const;
      expect((await ledger.openAccount(again)).isNew).toBe(false);
    });
  }
  await using(second, async (ledger) => {
    const order = { email: 'someone9@gmail.com', by: 'owner', atMs: NOON } as const;
    expect(await ledger.openAccount(order)).toMatchObject({ isNew: true, account: { balance: 0 } });
    const disabled = { ...order, email: 'someone10@gmail.com' } as const;
    expect((await ledger.openAccount(disabled)).account.disabled).toBe(true);
  });
});

test('a ledger moves through a pipe', async () => {
  const [from, to] = ['pipe-from', 'pipe-to'].map((name) => `sqlite:${path.join(folder, name)}`);
  await using(from, fill);
  const source = await ttaAlone('accounts', 'export', '--ledger', from);
  expect(source.stdout.trimEnd().split('\n')).toHaveLength(ACCOUNTS + 2);
  const sink = spawn(process.execPath, [TTA, 'accounts', 'import', '--ledger', to]);
  sink.stdin.end(source.stdout);
  const [said, [code]] = await Promise.all([text(sink.stderr), once(sink, 'close')]);
  expect([code, said]).toEqual([0, expect.stringContaining('12 accounts')]);
  expect(await using(to, everything)).toEqual(await using(from, everything));
});

test('a faulty export is reported with the line of its fault', async () => {
  const from = `sqlite:${path.join(folder, 'faulty')}`;
  await using(from, fill);
  const whole = path.join(folder, 'whole.jsonl');
  await tta('accounts', 'export', whole, '--ledger', from);
  expect((await tta('accounts', 'export', whole, '--ledger', from)).stderr).toContain(
    `${whole}: already exists`,
  );
  const lines = (await readFile(whole, 'utf8')).trimEnd().split('\n');
  const changed = (line: number, from: RegExp, to: string) =>
    lines.map((text, i) => (i === line - 1 ? text.replace(from, to) : text));
  for (const [faulty, said] of [
    [[], 'ends after line 0'],
    [lines.slice(0, -1), 'ends after line 13, before the end of the export'],
    [lines.toSpliced(4, 1), 'line 13: 12 accounts were exported, but 11 arrived'],
    [['{', ...lines], 'line 1: is not JSON'],
    [changed(1, /"ledger":1/, '"ledger":9'), 'line 1: ledger: is not a ledger export'],
    [changed(3, /"balance":(\d+)/, '"balance":1$1'), 'line 3: account '],
    [changed(3, /"disabled":\w+/, '"disabled":"no"'), 'line 3: account.disabled: '],
  ] as const) {
    const file = path.join(folder, 'faulty.jsonl');
    await writeFile(file, faulty.map((line) => `${line}\n`).join(''));
    const { code, stderr } = await tta('accounts', 'import', file, '--ledger', redis.address(5));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`tta: ${file}: ${said}`)]);
  }
  const none = path.join(folder, 'none.jsonl');
  const missing = await tta('accounts', 'import', none, '--ledger', redis.address(5));
  expect(missing.stderr).toContain(`tta: ${none}: no such file`);
});
