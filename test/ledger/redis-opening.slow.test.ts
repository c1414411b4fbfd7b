import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer } from '../support/account-totals.ts';
import { BY, newAccount, ROUTE } from '../support/customers.ts';
import { freePort } from '../support/free-port.ts';
import { startRedis } from '../support/redis-server.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

const redis = ofTests(() => startRedis());
let database = 0;
/** Address of the test's own database; `client` is connected to the database. */
let address: string;
let client: Redis;
beforeEach(() => {
  address = redis.address(++database);
  client = new Redis({ port: redis.port, db: database });
  onTestFinished(() => client.disconnect());
});

/** Opens a ledger, and records its warnings. */
async function opened(at = address) {
  const warned: string[] = [];
  const warn = (words: string) => warned.push(words);
  const ledger = await ofThisTest(openLedger(at, { rateLimitPerMinute: 1_000_000, warn }));
  return { ledger, warned };
}

test('a new ledger is marked with its version once, and one of a newer version is not touched', async () => {
  await opened();
  const [name] = await client.keys('*');
  expect(await client.keys('*')).toHaveLength(1);
  expect(await client.get(name)).toBe('1');
  await client.expire(name, 1_000);
  await opened();
  // The mark was not written again.
  expect(await client.ttl(name)).toBeGreaterThan(900);
  await client.set(name, '2');
  await expect(opened()).rejects.toThrow(LedgerUnavailable);
  await expect(opened()).rejects.toThrow(
    `ledger ${address}: its records have format 2, and this version supports up to 1`,
  );
  expect(await client.get(name)).toBe('2');
});

test('opening a ledger that may lose debits gives a warning with its address', async () => {
  expect((await opened()).warned).toEqual([]);
  await client.config('SET', 'appendfsync', 'everysec');
  onTestFinished(async () => void (await redis.cli('config', 'set', 'appendfsync', 'always')));
  const fault = `ledger ${address}: has appendfsync everysec: a crash loses acknowledged debits; set it to always`;
  expect((await opened()).warned).toEqual([fault]);
  const emitted = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => emitted.mockRestore());
  await ofThisTest(openLedger(address, { rateLimitPerMinute: 1 }));
  expect(emitted.mock.calls).toEqual([[fault]]);
});

test('names of records do not change, so that later versions find them', async () => {
  const { ledger } = await opened();
  const { account, keyId, key } = await openCustomer(ledger, { tokens: 10, isMember: true });
  const [hash, atMs] = [hashApiKey(key), Date.UTC(2026, 5, 1)];
  await ledger.admit(hash, atMs);
  const rate = { limit: 9, windowSeconds: 3_600 };
  const order = { owner: { id: account }, label: '', by: 'owner', atMs, rate } as const;
  const made = await ledger.issueKey(order);
  if (made.created) await ledger.revokeKey(account, made.key.id, { by: 'owner', atMs });
  const charge = { account, keyId, route: ROUTE, tokens: 3, atMs };
  const debit = await ledger.debitOnce(charge, { key: 'key', fingerprint: 'f' });
  const receipt = debit.outcome === 'debited' ? debit.receipt : expect.fail(debit.outcome);
  await ledger.storeResponse(receipt, { headers: {}, gzip: new Uint8Array(1) });
  const session = { id: 's', secretHash: 'h', startedAtMs: atMs, client: 'c', address: 'a' };
  await ledger.beginSession(account, session);
  const challenge = { startedAtMs: atMs, codeHash: 'c', linkHash: 'l', endsAtMs: atMs + 60_000 };
  await ledger.storeChallenge('box@example.org', challenge);
  await ledger.takeLimited('subject', rate, atMs);
  await ledger.secret('a secret');
  for (const id of ['open', 'handled']) {
    await ledger.storeEvent({ id, type: 'invoice.paid', object: 'in_1', receivedAtMs: 1 });
  }
  await ledger.closeEvent('handled', atMs);
  const { id: former } = await newAccount(ledger, { email: 'gone@example.org' });
  await ledger.setDisabled(former, true, BY);
  await ledger.closeAccount(former, BY);
  const { id: other } = await newAccount(ledger, { email: 'there@example.org' });
  const names = new Map([
    [account, 'ACCOUNT'],
    [former, 'FORMER'],
    [other, 'OTHER'],
    [hash, 'HASH'],
    [receipt.id, 'RECEIPT'],
  ]);
  const held = (await client.keys('*')).map((name) => {
    let shown = name;
    for (const [id, word] of names) shown = shown.replaceAll(id, word);
    return shown;
  });
  expect(held.sort()).toEqual([
    'tta:challenge:box@example.org',
    'tta:disabled-mailboxes',
    'tta:form',
    'tta:former-mailboxes',
    'tta:key:HASH',
    'tta:limit:subject',
    'tta:mailbox:there@example.org',
    'tta:secrets',
    'tta:{ACCOUNT}:account',
    'tta:{ACCOUNT}:answer:RECEIPT',
    'tta:{ACCOUNT}:audit',
    'tta:{ACCOUNT}:grants',
    'tta:{ACCOUNT}:kept',
    'tta:{ACCOUNT}:keys',
    'tta:{ACCOUNT}:lanes',
    'tta:{ACCOUNT}:made',
    'tta:{ACCOUNT}:rate',
    'tta:{ACCOUNT}:receipt-ends',
    'tta:{ACCOUNT}:receipts',
    'tta:{ACCOUNT}:replay:a2V5',
    'tta:{ACCOUNT}:revoked',
    'tta:{ACCOUNT}:sessions',
    'tta:{ACCOUNT}:usage:2026-06',
    'tta:{ACCOUNT}:usage:months',
    'tta:{ACCOUNT}:uses',
    'tta:{FORMER}:account',
    'tta:{FORMER}:audit',
    'tta:{OTHER}:account',
    'tta:{OTHER}:audit',
    'tta:{events}:closed:handled',
    'tta:{events}:open',
    'tta:{events}:records',
  ]);
});

test('each account is listed once, however many keys there are', async () => {
  const { ledger } = await opened();
  const ids = await Promise.all(
    Array.from({ length: 30 }, async () => (await newAccount(ledger)).id),
  );
  const others = Array.from({ length: 3_000 }, (_, i) => [`other:${i}`, 'x']).flat();
  await client.mset(...others);
  // The record of one account is gone.
  const [name] = await client.keys(`*${ids[0]}*:account`);
  await client.rename(name, name.replace(ids[0], 'half'));
  await client.del(name.replace(ids[0], 'half'));
  const held: string[] = [];
  for await (const { id } of ledger.allAccounts()) held.push(id);
  expect(held.sort()).toEqual(ids.slice(1).sort());
});

test('scripts that Redis has dropped are sent again', async () => {
  const { ledger } = await opened();
  const { account, keyId } = await openCustomer(ledger, { tokens: 10 });
  const charge = { account, keyId, route: ROUTE, tokens: 3, atMs: Date.now() };
  expect(await ledger.debit(charge)).toEqual({ outcome: 'debited', balance: 7 });
  await client.script('FLUSH');
  expect(await ledger.debit(charge)).toEqual({ outcome: 'debited', balance: 4 });
  await expect(ledger.debit({ ...charge, account: 'nobody' })).rejects.toThrow('no account nobody');
  expect((await ledger.account(account))!.balance).toBe(4);
});

test('a clock that is far from that of Redis delays a debit, and nothing more', async () => {
  const { ledger } = await opened();
  const { account, keyId } = await openCustomer(ledger, { tokens: 10 });
  const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: Date.now() };
  onTestFinished(() => void vi.useRealTimers());
  for (const [i, hours] of [-1, 1, 24].entries()) {
    vi.useFakeTimers({ now: Date.now() + hours * 3_600_000, toFake: ['Date'] });
    expect(await ledger.debit(charge)).toEqual({ outcome: 'debited', balance: 9 - i });
    vi.useRealTimers();
  }
});

test('a closed ledger reports that it is closed, even if it was closed twice', async () => {
  const { ledger } = await opened();
  await ledger.ping();
  await ledger.close();
  await ledger.close();
  for (const ask of [() => ledger.ping(), () => ledger.account('a'), () => ledger.openEvents(1)]) {
    await expect(ask()).rejects.toThrow(`ledger ${address}: the ledger is closed`);
  }
});

describe('a Redis', () => {
  test('that is not there or refuses the password is named without the password', async () => {
    const said = async (at: string) => {
      const error = await openLedger(at, { rateLimitPerMinute: 1 }).catch((reason) => reason);
      expect(error).toBeInstanceOf(LedgerUnavailable);
      expect(error.message).not.toContain('sesame');
      return [error.isAway, error.message] as const;
    };
    const port = await freePort();
    expect(await said(`redis://ada:sesame@127.0.0.1:${port}/2`)).toEqual([
      true,
      expect.stringMatching(
        new RegExp(`^ledger redis://127.0.0.1:${port}/2: cannot be reached .*ECONNREFUSED`),
      ),
    ]);
    expect(await said(address.replace('//', '//ada:sesame@'))).toEqual([
      false,
      `ledger ${address}: rejects this user and password; check USER:PASSWORD@ in its address`,
    ]);
    // Clusters and sentinels are reached in other ways.
    for (const way of ['cluster', 'sentinel']) {
      const master = way === 'sentinel' ? '/m' : '';
      const [, words] = await said(`redis+${way}://ada:sesame@127.0.0.1:${port}${master}`);
      expect(words.startsWith(`ledger redis+${way}://127.0.0.1:${port}${master}: `)).toBe(true);
    }
    expect((await said(`redis+cluster://127.0.0.1:${redis.port}`))[1]).toContain(
      'is not a cluster; use redis://HOST:PORT',
    );
  });

  test('that stalls or restarts fails calls in time, and is found again', async () => {
    const { ledger } = await opened();
    const { account, keyId } = await openCustomer(ledger, { tokens: 10 });
    const charge = { account, keyId, route: ROUTE, tokens: 1, atMs: Date.now() };
    const back = () => expect.poll(() => ledger.ping().catch(() => false)).not.toBe(false);
    await redis.kill('SIGSTOP');
    const stalled = ledger.debit(charge);
    await expect(stalled).rejects.toThrow('Redis does not respond');
    await redis.kill('SIGCONT');
    await back();
    await expect.poll(async () => (await ledger.account(account))!.balance).toBe(10);
    await redis.kill('SIGKILL');
    await expect(ledger.debit(charge)).rejects.toThrow(LedgerUnavailable);
    await expect.poll(() => ledger.ping().catch(({ message }) => message)).toContain('cannot be');
    await redis.restart();
    await back();
    expect(await ledger.debit(charge)).toEqual({ outcome: 'debited', balance: 9 });
  });
});
