import { beforeEach, expect, test } from 'vitest';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import { ENTRIES, type Entry } from '../../proxy/ledger/entries.ts';
import { parseLedgerAddress } from '../../proxy/ledger/ledger-address.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { post } from '../../proxy/ledger/redis/account-state.ts';
import { RedisConnection } from '../../proxy/ledger/redis/connection.ts';
import type { Script } from '../../proxy/ledger/redis/script.ts';
import { openCustomer, totalsOf } from '../support/account-totals.ts';
import { BY, ROUTE } from '../support/customers.ts';
import { startRedis } from '../support/redis-server.ts';
import { ofTests } from '../support/test-resources.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const redis = ofTests(() => startRedis());
const ledger = ofTests(() => openLedger(redis.address(), { rateLimitPerMinute: 1_000 }));
const connection = ofTests(() => {
  const address = parseLedgerAddress(redis.address());
  return address.kind === 'sqlite' ? expect.fail() : RedisConnection.open(address);
});
let charge: Charge;
let key: string;
beforeEach(async () => {
  const opened = await openCustomer(ledger, { tokens: 100 });
  key = opened.key;
  const { account, keyId } = opened;
  charge = { account, keyId, route: ROUTE, tokens: 60, atMs: NOON };
});

/** Applies an entry after `first`, which happens before its first write. Counts its writes. */
async function postAfter<Reply>(
  first: () => Promise<unknown>,
  entry: Entry<Reply>,
): Promise<{ reply: Reply; writes: number }> {
  let writes = 0;
  const between = {
    shown: connection.shown,
    turns: connection.turns,
    ask: (...question: Parameters<RedisConnection['ask']>) => connection.ask(...question),
    async run(script: Script<unknown>, ...given: [readonly string[]]) {
      if (script.isLasting) writes++;
      if (script.isLasting && writes === 1) await first();
      return connection.run(script, ...given);
    },
  } as unknown as RedisConnection;
  return { reply: await post(between, charge.account, entry), writes };
}

const grant = (tokens: number) => ENTRIES.grant({ tokens, cause: 'in_1', atMs: NOON }, 'payment');
const takeBack = (tokens: number) =>
  ENTRIES.takeBack({ tokens, cause: 'dispute', atMs: NOON }, 'payment');

test.each([
  ['a debit stays beside a grant', grant(5), { granted: true, balance: 45 }, 1],
  ['a debit stays beside a take-back', takeBack(30), { taken: 30, balance: 10 }, 1],
  ['a take-back takes what a debit has left', takeBack(70), { taken: 40, balance: 0 }, 2],
  ['a take-back of all takes what a debit has left', takeBack(900), { taken: 40, balance: 0 }, 2],
])('%s', async (_, entry: Entry<unknown>, expected, writes) => {
  const made = await postAfter(() => ledger.debit(charge), entry);
  expect(made).toEqual({ reply: expected, writes });
  const { balance, granted, used } = await totalsOf(ledger, charge.account);
  expect({ balance, used }).toEqual({ balance: granted - used, used: 60 });
  expect(balance).toBe(expected.balance);
});

test('a take-back of more than there is also takes what is refunded meanwhile', async () => {
  await ledger.debit(charge);
  const made = await postAfter(() => ledger.refund(charge), takeBack(900));
  expect(made).toEqual({ reply: { taken: 100, balance: 0 }, writes: 2 });
});

// More than an entry has attempts; few enough for a busy machine to make within a turn’s wait.
test('150 entries of an account at once all stand, and so do 150 uses of a session unused for hours', async () => {
  const { account } = charge;
  const session = { id: 's', startedAtMs: NOON, client: 'Firefox', address: '192.0.2.1' };
  await ledger.beginSession(account, { ...session, secretHash: 'h' });
  const grants = Array.from({ length: 150 }, (_, i) => ({ tokens: 1, cause: `c${i}`, atMs: NOON }));
  await Promise.all(grants.map((one) => ledger.grant(account, one, 'payment')));
  expect((await totalsOf(ledger, account)).balance).toBe(250);
  const atMs = NOON + 3 * 3_600_000;
  const uses = grants.map(() => ledger.session({ account, id: 's', secretHash: 'h' }, atMs));
  for (const found of await Promise.all(uses)) expect(found?.session.id).toBe('s');
  expect((await ledger.sessions(account, atMs)).map(({ seenAtMs }) => seenAtMs)).toEqual([atMs]);
});

test('entries made at the same time both stand', async () => {
  const { account } = charge;
  await postAfter(() => ledger.setCustomer(account, 'cus_1'), ENTRIES.setDisabled(true, BY));
  expect(await ledger.account(account)).toMatchObject({ customer: 'cus_1', disabled: true });
  const made = await postAfter(
    () => ledger.grant(account, { tokens: 7, cause: 'in_1', atMs: NOON }, 'payment'),
    grant(7),
  );
  expect(made.reply).toEqual({ granted: false, balance: 107 });
  // A key that is used while it is revoked keeps the time of that use.
  const isUsed = () =>
    ledger.setDisabled(account, false, BY).then(() => ledger.admit(hashApiKey(key), NOON));
  await postAfter(isUsed, ENTRIES.revokeKey(charge.keyId, BY));
  expect(await ledger.keys(account)).toMatchObject([{ revokedAtMs: BY.atMs, lastUsedAtMs: NOON }]);
  expect((await ledger.admit(hashApiKey(key), NOON)).outcome).toBe('invalid-key');
});

test('an account that never rests fails its entry, which has changed nothing', async () => {
  const { account } = charge;
  let name = 0;
  const restless = {
    shown: 'redis://host:1/0',
    turns: connection.turns,
    ask: (...question: Parameters<RedisConnection['ask']>) => connection.ask(...question),
    async run(script: Script<unknown>, ...given: [readonly string[]]) {
      if (script.isLasting) await ledger.setCustomer(account, `cus_${name++}`);
      return connection.run(script, ...given);
    },
  } as unknown as RedisConnection;
  await expect(post(restless, account, grant(5))).rejects.toThrow(/too many changes at once/);
  expect(await ledger.grants(account)).toHaveLength(1);
});
