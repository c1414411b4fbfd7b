import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer, totalsOf } from '../support/account-totals.ts';
import { ROUTE } from '../support/customers.ts';
import { startRedis, startSentinel } from '../support/redis-server.ts';
import { ofEachTest, ofThisTest } from '../support/test-resources.ts';

const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const TOKENS = 10_000_000;

const redis = ofEachTest(() => startRedis());
const ledger = ofEachTest(() => openLedger(redis.address(), OPTIONS));
let charge: Charge;
let key: string;
beforeEach(async () => {
  const { account, keyId, key: plainKey } = await openCustomer(ledger, { tokens: TOKENS });
  key = plainKey;
  charge = { account, keyId, route: ROUTE, tokens: 1, atMs: Date.now() };
});

/** Resolves once the ledger responds again. */
const back = () => expect.poll(() => ledger.ping().catch(() => false)).not.toBe(false);

test('admitting and debiting take one command each once the scripts are loaded', async () => {
  const hash = hashApiKey(key);
  await ledger.admit(hash, 1);
  await ledger.debit(charge);
  const commands: string[] = [];
  const client = new Redis(redis.port);
  // Connects first: otherwise the handshake's own commands would reach the monitor.
  await client.ping();
  const watch = await client.monitor();
  // Calls made inside a script are reported with the source "lua".
  watch.on('monitor', (_time, [name]: string[], from: string) => {
    if (from !== 'lua') commands.push(name);
  });
  for (let i = 0; i < 10; i++) {
    expect((await ledger.admit(hash, 1)).outcome).toBe('admitted');
    expect((await ledger.debit(charge)).outcome).toBe('debited');
  }
  await ledger.ping();
  await expect.poll(() => commands.at(-1)).toBe('ping');
  for (const connection of [watch, client]) connection.disconnect();
  expect(commands).toEqual([...Array.from({ length: 20 }, () => 'evalsha'), 'ping']);
});

test('kill −9 of Redis amid debits and grants loses nothing acknowledged and grants nothing twice', async () => {
  const { account } = charge;
  let [debited, asked, granted] = [0, 0, 0];
  let stop = false;
  const debits = Array.from({ length: 16 }, async () => {
    while (!stop) {
      asked++;
      const made = await ledger.debit(charge).catch((error: unknown) => error);
      if (made instanceof Error) await pause(20);
      else debited++;
    }
  });
  // Each grant is retried until acknowledged, as a payment event would be.
  const grants = (async () => {
    for (let isOpen = false; isOpen || !stop; ) {
      const due = { tokens: 3, cause: `invoice ${granted}`, atMs: 1 };
      const made = await ledger.grant(account, due, 'payment').catch((error: unknown) => error);
      isOpen = made instanceof Error;
      if (isOpen) await pause(20);
      else granted++;
    }
  })();
  let refused = 0;
  for (let kill = 0; kill < 3; kill++) {
    const before = debited;
    await expect.poll(() => debited).toBeGreaterThan(before + 300);
    await redis.kill('SIGKILL');
    await expect(ledger.debit(charge)).rejects.toThrow(LedgerUnavailable);
    refused++;
    await redis.restart();
    await back();
  }
  stop = true;
  await Promise.all([...debits, grants]);
  // Debits in flight at a kill that did take effect have been refunded.
  await expect.poll(async () => (await totalsOf(ledger, account)).used).toBe(debited);
  const books = await totalsOf(ledger, account);
  expect(books.granted).toBe(TOKENS + 3 * granted);
  expect(books.balance).toBe(books.granted - books.used);
  expect(books.used).toBe(books.requests);
  expect(asked + refused).toBeGreaterThan(debited);
});

test('a ledger behind a sentinel is the one of the named master', async () => {
  const sentinel = await ofThisTest(startSentinel('books', redis.port));
  const address = `redis+sentinel://127.0.0.1:${sentinel.port}/books/0`;
  const same = await openLedger(address, OPTIONS);
  expect((await same.account(charge.account))!.balance).toBe(TOKENS);
  await same.debit(charge);
  await same.close();
  expect((await ledger.account(charge.account))!.balance).toBe(TOKENS - 1);
  const other = openLedger(address.replace('books', 'others'), OPTIONS);
  await expect(other).rejects.toThrow(LedgerUnavailable);
});

test('an address whose claimant died goes to the next claimant, with one sign-up grant', async () => {
  await redis.cli('set', 'tta:mailbox:cut@example.org', 'account-of-one-who-died');
  expect(await ledger.accountByEmail('cut@example.org')).toBeUndefined();
  const order = { email: 'Cut@Example.org', by: 'owner', atMs: 1 } as const;
  const made = await Promise.all([1, 2, 3].map(() => ledger.openAccount(order)));
  expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  for (const { account } of made) {
    expect(account).toMatchObject({ id: 'account-of-one-who-died', balance: 5_000 });
  }
});

test('an address of a closed account is free, even if the process died before releasing it', async () => {
  const order = { email: 'left@example.org', by: 'owner', atMs: 1 } as const;
  const { account } = await ledger.openAccount(order);
  await ledger.closeAccount(account.id, order);
  await redis.cli('set', 'tta:mailbox:left@example.org', account.id);
  expect(await ledger.accountByEmail(order.email)).toBeUndefined();
  const again = await ledger.openAccount(order);
  expect(again).toMatchObject({ isNew: true, account: { balance: 0 } });
  expect(again.account.id).not.toBe(account.id);
  const issued = await ledger.issueKey({ owner: { email: order.email }, label: '', ...order });
  expect(issued).toMatchObject({ created: true, account: { id: again.account.id } });
});

describe('usage', () => {
  /** Makes one debit on the first of each month of three years. */
  const threeYears = async () => {
    for (let month = 0; month < 36; month++) {
      await ledger.debit({ ...charge, atMs: Date.UTC(2024, month, 1), tokens: month });
    }
  };

  test('is read for the requested months only', async () => {
    await threeYears();
    const client = new Redis(redis.port);
    // Connects first: otherwise the handshake's own commands would reach the monitor.
    await client.ping();
    const watch = await client.monitor();
    const names = new Set<string>();
    watch.on('monitor', (_time, [command, name]: string[]) => {
      if (/^h(getall|vals|scan)$/i.test(command)) names.add(name);
    });
    const found = await ledger.usage(charge.account, { from: '2025-06-02', to: '2025-08-01' });
    expect(found.map(({ day, tokens }) => [day, tokens])).toEqual([
      ['2025-07-01', 18],
      ['2025-08-01', 19],
    ]);
    const of = `tta:{${charge.account}}:usage`;
    const months = ['2025-06', '2025-07', '2025-08'].map((month) => `${of}:${month}`);
    await expect.poll(() => [...names].sort()).toEqual(months);
    expect(await redis.cli('exists', of)).toMatch(/^0/);
    watch.disconnect();
    client.disconnect();
    expect((await ledger.usage(charge.account, { from: '2026-12-01' })).length).toBe(1);
    expect((await ledger.usage(charge.account, { to: '2024-02-28' })).length).toBe(2);
    expect((await ledger.usage(charge.account)).length).toBe(36);
  });

  test('is readable while replicas are missing', async () => {
    await ledger.debit(charge);
    const usage = await ledger.usage(charge.account);
    await redis.cli('config', 'set', 'min-replicas-to-write', '1');
    const opened = await ofThisTest(openLedger(redis.address(), OPTIONS));
    await expect(opened.debit(charge)).rejects.toThrow(LedgerUnavailable);
    expect(await opened.usage(charge.account)).toEqual(usage);
    expect((await opened.exportAccount(charge.account))!.usage).toEqual(usage);
  });
});
