import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import type { DebitOnce, Receipt, Replay, StoredResponse } from '../../proxy/ledger/replays.ts';
import { totalsOf } from '../support/account-totals.ts';
import { chargeAndKeep } from '../support/charged-response.ts';
import { BY, issuedKey, ROUTE } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests } from '../support/test-resources.ts';
import { commandsOfTests, TTA, tta as ttaAlone } from '../support/tta.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const ACCOUNTS = 12;

const folder = folderOfTests();
const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);
const redis = ofTests(() => startRedis());

/** Addresses of new ledgers of both kinds. */
function newLedgers() {
  // The other tests use the first databases.
  let made = 10;
  return {
    sqlite: () => `sqlite:${path.join(folder, `moved-${made++}`)}`,
    redis: () => redis.address(made++),
  };
}

const BODY = randomBytes(5_000);

function responseOf(bytes: number): StoredResponse {
  return { headers: { 'content-type': 'text/plain' }, gzip: BODY.subarray(0, bytes) };
}

/** Returns a replay with its response as text. */
function plain(found: Replay | undefined): unknown {
  if (found?.outcome !== 'replayed' || !found.response || found.response === 'damaged')
    return found;
  const { headers, gzip } = found.response;
  return { ...found, response: { headers, gzip: Buffer.from(gzip).toString('hex') } };
}

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
  all.set('events', await ledger.openEvents(1_000));
  all.set('former mailboxes', new Set(await ledger.formerMailboxes()));
  for await (const account of ledger.allAccounts()) {
    const { id } = account;
    const { granted, used, balance } = await totalsOf(ledger, id);
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
  expect(before.size).toBe(ACCOUNTS + 3);
  const ledgers = [first, redis.address(), second];
  for (const [i, to] of ledgers.slice(1).entries()) {
    const file = path.join(folder, `export-${i}.jsonl`);
    const exported = await tta('accounts', 'export', file, '--ledger', ledgers[i]);
    expect(exported).toMatchObject({ code: 0, stdout: '' });
    expect(exported.stderr).toMatch(/^export: 12 accounts with [\d,]+ tokens/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).not.toContain(plainKey);
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

test('what a ledger was paid for is still paid after a move, whatever happened before', async () => {
  const [ledgers, files] = [newLedgers(), folder];
  const step = fc.record({
    what: fc.constantFrom('ask', 'ask', 'ask', 'fail', 'fail in part', 'event', 'settle'),
    account: fc.nat(1),
    key: fc.constantFrom('order 1', 'ü/…{}', 'k'.repeat(255)),
    fingerprint: fc.constantFrom('one', 'another'),
    tokens: fc.integer({ min: 0, max: 9 }),
    hours: fc.integer({ min: 0, max: 30 }),
    bytes: fc.constantFrom(null, 0, 900, 5_000),
    event: fc.nat(3),
  });
  const moved = fc.array(step, { maxLength: 25 });
  await forAll(12, moved, fc.boolean(), async (steps, isFromRedis) => {
    const [sqlite, inRedis] = [ledgers.sqlite(), ledgers.redis()];
    const [from, to] = isFromRedis ? [inRedis, sqlite] : [sqlite, inRedis];
    /** The receipt of each key whose response may still be under way. */
    const receipts = new Map<string, Receipt>();
    const accounts: string[] = [];
    /** The time of the last request. */
    let lastMs = 0;
    const eventOf = (i: number) => {
      return { id: `evt_${i}`, type: 'paid', object: `cs_${i}`, receivedAtMs: NOON + i };
    };
    await using(from, async (ledger) => {
      for (const [i, tokens] of [1_000, 12].entries()) {
        const grant = { tokens, cause: 'start', atMs: NOON };
        const order = { email: `one${i}@example.org`, grant, by: 'owner', atMs: NOON } as const;
        accounts.push((await ledger.openAccount(order)).account.id);
      }
      await ledger.secret('links');
      for (const { what, account, key, fingerprint, tokens, hours, bytes, event } of steps) {
        const atMs = NOON + hours * 3_600_000;
        if (what === 'ask') {
          const charge = { account: accounts[account], keyId: 'k', route: ROUTE, tokens, atMs };
          lastMs = Math.max(lastMs, atMs);
          const kept = bytes === null ? null : responseOf(bytes);
          const made = await chargeAndKeep(ledger, charge, { key, fingerprint }, kept);
          if (made.outcome === 'debited') receipts.set(`${account} ${key}`, made.receipt);
        } else if (what === 'event') await ledger.storeEvent(eventOf(event));
        else if (what === 'settle') await ledger.closeEvent(`evt_${event}`, NOON);
        else {
          const receipt = receipts.get(`${account} ${key}`);
          receipts.delete(`${account} ${key}`);
          if (receipt) await ledger.undeliver(receipt, what === 'fail' ? undefined : tokens);
        }
      }
    });
    // A debit whose key has expired may be removed, and is not exported.
    const underWay = [...receipts.values()].filter(({ endsAtMs }) => endsAtMs >= lastMs);
    const before = await using(from, everything);
    const file = path.join(files, `${randomUUID()}.jsonl`);
    await tta('accounts', 'export', file, '--ledger', from);
    const imported = await tta('accounts', 'import', file, '--ledger', to);
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('2 accounts')]);
    expect(await using(to, everything)).toEqual(before);
    // A second import brings nothing back that was refunded or settled meanwhile.
    const answers = (isRepeated: boolean) => async (ledger: Ledger) => {
      const all: unknown[] = [];
      for (const account of accounts) {
        for (const key of ['order 1', 'ü/…{}', 'k'.repeat(255)]) {
          for (const fingerprint of ['one', 'another']) {
            for (const hours of [0, 23, 30, 54]) {
              const atMs = NOON + hours * 3_600_000;
              const found = await ledger.replay(account, { key, fingerprint }, atMs);
              all.push(plain(found));
              if (found?.outcome === 'replayed') await ledger.undeliver(found.receipt);
            }
          }
        }
      }
      for (const receipt of underWay) await ledger.undeliver(receipt);
      if (isRepeated) {
        const again = await tta('accounts', 'import', file, '--ledger', to);
        expect(again.stderr).toContain('2 already existed');
      }
      for (const i of [0, 1, 2, 3]) all.push(await ledger.storeEvent(eventOf(i)));
      all.push(await ledger.openEvents(10), await everything(ledger));
      for (const account of accounts) {
        const request = { key: 'order 1', fingerprint: 'one' };
        const charge = { account, keyId: 'k', route: ROUTE, tokens: 1, atMs: NOON + 1 };
        const { outcome, balance } = (await ledger.debitOnce(charge, request)) as DebitOnce;
        all.push(outcome, balance);
      }
      return all;
    };
    expect(await using(to, answers(true))).toEqual(await using(from, answers(false)));
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
  for (const [faulty, said] of [
    [[], 'ends after line 0'],
    [lines.toSpliced(4, 1), 'line 13: 12 accounts were exported, but 11 arrived'],
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
