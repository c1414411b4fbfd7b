import { execFile } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { MAX_SESSIONS } from '../../proxy/ledger/sessions.ts';
import { chargeAndKeep } from '../support/charged-response.ts';
import { issuedKey, newAccount, ROUTE } from '../support/customers.ts';
import { startRedis } from '../support/redis-server.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const run = promisify(execFile);
const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;
const folder = folderOfTests();
const redis = ofTests(() => startRedis());

/** Opens an account that signs in, creates a key and is charged, so many times. */
async function useAll(ledger: Ledger, who: string, atMs: number, times: number): Promise<string> {
  const { id } = await newAccount(ledger, { email: `${who}@example.org` });
  await ledger.grant(id, { tokens: 1_000, cause: 'start', atMs }, 'operator');
  const key = await issuedKey(ledger, id, 'desk', atMs);
  await ledger.revokeKey(id, key.key.id, { by: 'owner', atMs });
  await ledger.delayGrant(id, {
    waitsFor: who,
    dueAtMs: atMs,
    orderMs: 0,
    network: '192.0.2.0/24',
  });
  await ledger.deferGrant(id, `another of ${who}`, atMs);
  await ledger.endDelay(id);
  for (let i = 0; i < times; i++) {
    const mailbox = `${who} ${i}`;
    const challenge = { startedAtMs: atMs, codeHash: 'c', linkHash: 'l', endsAtMs: atMs + 600_000 };
    await ledger.storeChallenge(mailbox, challenge);
    await ledger.takeLimited(`sent to ${mailbox}`, { limit: 5, windowSeconds: 600 }, atMs);
    await ledger.takeSpaced(`grant of ${mailbox}`, { limit: 5, windowSeconds: 600 }, atMs);
    const session = { id: `s${i}`, secretHash: 'x', client: 'Firefox', address: '192.0.2.1' };
    await ledger.beginSession(id, { ...session, startedAtMs: atMs });
    await ledger.session({ account: id, id: `s${i}`, secretHash: 'x' }, atMs + DAY_MS);
    const charge = { account: id, keyId: 'k', route: ROUTE, tokens: 1, atMs };
    const response = { headers: {}, gzip: Buffer.from('a response') };
    await chargeAndKeep(ledger, charge, { key: `key ${i}`, fingerprint: 'f' }, response);
  }
  return id;
}

/** Tables whose rows are records of accounts, which stay. */
const LASTING = ['accounts', 'audit', 'grants', 'keys', 'usage'];

test('on SQLite, what an account leaves behind goes as others use the ledger, except its records', async () => {
  const ledger = await ofThisTest(openLedger(`sqlite:${folder}/one`, { rateLimitPerMinute: 60 }));
  const ada = await useAll(ledger, 'ada', NOON, 60);
  const rows = () => {
    const db = new DatabaseSync(`${folder}/one/ledger.db`, { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const counts = tables.map((table) => {
      const { name } = table as { name: string };
      const { n } = db.prepare(`SELECT count(*) AS n FROM ${name}`).get() as { n: number };
      return [name, n] as const;
    });
    db.close();
    return Object.fromEntries(counts);
  };
  const before = rows();
  expect(before).toMatchObject({ sessions: MAX_SESSIONS, challenges: 60, responses: 60 });
  expect(before.limits).toBe(120);
  await useAll(ledger, 'bob', NOON + 60 * DAY_MS, 60);
  const after = rows();
  for (const [table, count] of Object.entries(before)) {
    if (LASTING.includes(table)) continue;
    expect([table, after[table]]).toEqual([table, Math.min(after[table], count)]);
  }
  expect(await ledger.account(ada)).toMatchObject({ balance: 940 });
});

test('on Redis, all that an account leaves behind has an expiry, except its records', async () => {
  const ledger = await ofThisTest(openLedger(redis.address(1), { rateLimitPerMinute: 60 }));
  await useAll(ledger, 'ada', Date.now(), 30);
  const names = (await redis.cli('-n', '1', 'keys', '*')).trim().split('\n');
  const lasting = new Set<string>();
  for (const name of names) {
    if ((await redis.cli('-n', '1', 'pttl', name)).trim() === '-1') {
      lasting.add(name.replace(/^tta:(\{[^}]*\}:)?/, '').replace(/:.*/, ''));
    }
  }
  expect(names.length).toBeGreaterThan(60);
  // Sequences (`lanes`) are few, and pruned by their age.
  expect([...lasting].sort()).toEqual(
    ['account', 'audit', 'form', 'grants', 'lanes', 'mailbox', 'revoked', 'usage'].sort(),
  );
});

test('a SQLite ledger tells how full its disk is, as df does', async () => {
  const ledger = await ofThisTest(openLedger(`sqlite:${folder}/three`, { rateLimitPerMinute: 60 }));
  const { disk, memory, isLogFailing } = await ledger.fullness();
  const { stdout } = await run('df', ['--output=size,avail', folder]);
  const [size, available] = stdout.trim().split('\n')[1].trim().split(/\s+/).map(Number);
  expect(disk).toBeCloseTo(1 - available / size, 2);
  expect([memory, isLogFailing]).toEqual([undefined, false]);
});

test('a Redis ledger tells how full its memory is, and that its append-only file cannot be rewritten', async () => {
  const ledger = await ofThisTest(openLedger(redis.address(3), { rateLimitPerMinute: 60 }));
  const shareOf = async (mebibytes: number) => {
    await redis.cli('config', 'set', 'maxmemory', `${mebibytes}mb`);
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.cli('info', 'memory'))![1]);
    const { memory, disk, isLogFailing } = await ledger.fullness();
    expect(Math.abs(memory! - used / (mebibytes * 2 ** 20))).toBeLessThan(0.02);
    expect([disk, isLogFailing]).toEqual([undefined, false]);
    return memory!;
  };
  expect(await shareOf(64)).toBeGreaterThan(3 * (await shareOf(256)));
  const folderOfRedis = (await redis.cli('config', 'get', 'dir')).trim().split('\n')[1];
  await rename(`${folderOfRedis}/appendonlydir`, `${folderOfRedis}/elsewhere`);
  // A rewrite cannot begin, as on a full disk.
  await writeFile(`${folderOfRedis}/appendonlydir`, '');
  await redis.cli('bgrewriteaof');
  expect((await ledger.fullness()).isLogFailing).toBe(true);
});
