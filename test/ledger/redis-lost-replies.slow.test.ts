import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RefundPending } from '../../proxy/ledger/ledger.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer, totalsOf } from '../support/account-totals.ts';
import { openBreakableProxy } from '../support/breakable-proxy.ts';
import { ROUTE } from '../support/customers.ts';
import { startRedis } from '../support/redis-server.ts';
import { ofEachTest } from '../support/test-resources.ts';

const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const TOKENS = 1_000_000;

const warned: string[] = [];
const warn = (words: string) => void warned.push(words);
afterEach(() => expect(warned.splice(0)).toEqual([]));
const redis = ofEachTest(() => startRedis());
const wire = ofEachTest(() => openBreakableProxy(redis.port));
/** A ledger that connects directly. */
const beside = ofEachTest(() => openLedger(redis.address(), OPTIONS));
/** A ledger that connects through the wire that is cut. */
const ledger = ofEachTest(() =>
  openLedger(`redis://127.0.0.1:${wire.port}/0`, { ...OPTIONS, warn }),
);
let charge: Charge;
beforeEach(async () => {
  const { account, keyId } = await openCustomer(beside, { tokens: TOKENS });
  charge = { account, keyId, route: ROUTE, tokens: 3, atMs: Date.now() };
  // Makes sure Redis has the scripts cached, so that a swallowed reply is not a NOSCRIPT.
  await beside.debit(charge);
  await beside.refund(charge);
  const first = await beside.debitOnce(charge, { key: 'first', fingerprint: 'f' });
  if (first.outcome === 'debited') await beside.undeliver(first.receipt);
  await beside.replay(account, { key: 'first', fingerprint: 'f' }, charge.atMs);
});

const books = () => totalsOf(beside, charge.account);
const back = () => expect.poll(() => ledger.ping().catch(() => false)).not.toBe(false);

/** Runs an operation whose reply is lost, and returns the ledger's error as text. */
async function madeUnheard(ask: () => Promise<unknown>): Promise<string> {
  const cut = wire.cutAfterNext();
  const said = ask().catch((error: unknown) => error);
  await cut;
  expect((await books()).used).toBe(charge.tokens);
  expect(await said).toBeInstanceOf(RefundPending);
  return String(await said);
}

test('a single debit whose reply is lost, or whose request is lost or late, charges nothing', async () => {
  const untouched = { granted: TOKENS, used: 0, requests: 0, balance: TOKENS };
  const asks = [
    () => ledger.debit(charge),
    () => ledger.debitOnce(charge, { key: 'k', fingerprint: 'f' }),
  ];
  for (const ask of asks) {
    expect(await madeUnheard(ask)).toMatch(
      /the connection broke before Redis responded; is it restarting\?/,
    );
    await expect.poll(books).toEqual(untouched);

    const held = wire.cutBeforeNext();
    const lost = ask().catch((error: unknown) => error);
    const releaseReads = await held;
    expect(await lost).toBeInstanceOf(RefundPending);
    await back();
    // The debit was undone before it arrived; no later debit of the account may make it possible
    // again.
    await pause(600);
    expect((await ledger.debit(charge)).outcome).toBe('debited');
    await releaseReads();
    expect(await books()).toMatchObject({ used: charge.tokens, requests: 1 });
    await ledger.refund(charge);
    expect(await books()).toEqual(untouched);
  }
});

test.each([
  ['a debit', () => ledger.debit(charge)],
  ['a debit once', () => ledger.debitOnce(charge, { key: 'k', fingerprint: 'f' })],
])('%s that arrives in time, but after its undo, has no effect', async (_, ask) => {
  const held = wire.cutBeforeNext();
  // With this clock, the debit would be accepted for an hour.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  const lost = ask().catch((error: unknown) => error);
  clock.mockRestore();
  const releaseReads = await held;
  expect(await lost).toBeInstanceOf(RefundPending);
  await back();
  // After closing, the debit has been undone, or a warning logged; no other debit has been made.
  await ledger.close();
  await releaseReads();
  expect(await books()).toEqual({ granted: TOKENS, used: 0, requests: 0, balance: TOKENS });
});

test('a replay whose reply is lost is neither counted as delivered nor charged', async () => {
  const request = { key: 'once', fingerprint: 'f' };
  const first = await ledger.debitOnce(charge, request);
  if (first.outcome !== 'debited') throw new Error(first.outcome);
  // One token's worth was not delivered; the next replay charges it again.
  await ledger.undeliver(first.receipt, 1);
  for (const ask of [
    () => ledger.replay(charge.account, request, charge.atMs),
    () => ledger.debitOnce(charge, request),
  ]) {
    await madeUnheard(ask);
    await expect.poll(async () => (await books()).used).toBe(charge.tokens - 1);

    // The delivery has begun, but the body of the response cannot be read.
    const unread = wire.cutBeforeNext('hmget');
    const begun = ask().catch((error: unknown) => error);
    await unread;
    expect(String(await begun)).toMatch(/^RefundPending: .* 1 tokens will be refunded later$/);
    await expect.poll(async () => (await books()).used).toBe(charge.tokens - 1);
    await back();
  }
  expect(await ledger.replay(charge.account, request, charge.atMs)).toMatchObject({ charged: 1 });
  expect(await books()).toMatchObject({ used: charge.tokens, requests: 1 });
});

test('a refund is made once if its reply is lost or it cannot be sent', async () => {
  await ledger.debit(charge);
  await ledger.debit(charge);
  const cut = wire.cutAfterNext();
  const lost = ledger.refund(charge).catch((error: unknown) => error);
  await cut;
  expect(await lost).toBeInstanceOf(RefundPending);
  // The connection is not open yet.
  await expect(ledger.refund(charge, 1)).rejects.toThrow(RefundPending);
  await expect.poll(async () => (await books()).used).toBe(charge.tokens - 1);
  await pause(600);
  expect(await books()).toMatchObject({ used: charge.tokens - 1, requests: 1 });
});

test('there are as many sequences as debits in flight at once, and those of dead processes are removed', async () => {
  const of = `tta:{${charge.account}}:lanes`;
  const lanes = async () => (await redis.cli('hkeys', of)).trim().split('\n');
  // The sequence of the other server.
  expect(await lanes()).toHaveLength(1);
  for (let i = 0; i < 50; i++) await ledger.debit(charge);
  expect(await lanes()).toHaveLength(1 + 1);
  await Promise.all(Array.from({ length: 10 }, () => ledger.debit(charge)));
  expect(await lanes()).toHaveLength(1 + 10);
  // Sequences of dead processes are removed once more sequences are added.
  const old = Math.floor(Date.now() / 1_000) - 3 * 86_400;
  const number = Date.now() * 1_000;
  for (let i = 0; i < 4; i++) await redis.cli('hset', of, `gone.${i}`, `${number} ${old} `);
  await Promise.all(Array.from({ length: 11 }, () => ledger.debit(charge)));
  expect(await lanes()).toHaveLength(1 + 11);
  expect((await lanes()).join()).not.toContain('gone');
  // Sequences in use stay, even next to a process whose clock is days ahead.
  const used = await lanes();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3 * 86_400_000);
  const ahead = Array.from({ length: 20 }, () => beside.debit(charge));
  clock.mockRestore();
  await Promise.all(ahead);
  expect(await lanes()).toEqual(expect.arrayContaining(used));
});
