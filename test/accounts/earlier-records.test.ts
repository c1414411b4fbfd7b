import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { isMember } from '../../portal/accounts/accounts.ts';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { EVENT_LIFE_MS } from '../../portal/accounts/payment-events.ts';
import { ofThisTest } from '../support/of-tests.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const NOON = Date.UTC(2026, 4, 1, 12);
const OPTIONS = { rateLimitPerMinute: 10 };
const folder = folderOfEachTest();

/** A ledger as the first form of its records was written, by lmdb alone. */
async function writeEarlierLedger(): Promise<void> {
  const root = open({ path: folder, noSubdir: false, maxDbs: 16 });
  const table = (name: string) =>
    root.openDB<unknown, string | (string | number)[]>({
      name,
      sharedStructuresKey: Symbol.for('structures'),
    });
  const account = { disabled: false, createdAtMs: NOON };
  const key = { label: 'desk', createdAtMs: NOON, disabled: false };
  const receipt = { account: 'ada', endsAtMs: NOON + 86_400_000, id: 'receipt' };
  const tables: Record<string, [string | (string | number)[], unknown][]> = {
    accounts: [
      ['ada', { ...account, email: 'A.da@gmail.com', member: true, balance: 4_990 }],
      ['bob', { ...account, email: null, member: false, disabled: true, balance: 7 }],
    ],
    emails: [['a.da@gmail.com', 'ada']],
    keys: [
      ['hash of one', { ...key, account: 'ada', id: 'one', prefix: 'ta_live_1', revoked: false }],
      ['hash of two', { ...key, account: 'ada', id: 'two', prefix: 'ta_live_2', revoked: true }],
    ],
    'keys-of-account': [
      [['ada', 'one'], 'hash of one'],
      [['ada', 'two'], 'hash of two'],
    ],
    grants: [
      [['ada', 'signup'], { tokens: 5_000, atMs: NOON }],
      [['bob', 'gift'], { tokens: 7, atMs: NOON }],
    ],
    usage: [
      [['ada', '2026-05-01', 'one'], { requests: 2, tokens: 6 }],
      [['ada', '2026-05-02', 'one'], { requests: 1, tokens: 4 }],
    ],
    secrets: [['cursors', 'a secret']],
    replays: [[['ada', 'order'], { fingerprint: 'f', receipt }]],
    receipts: [
      [
        [receipt.endsAtMs, 'ada', receipt.id],
        {
          charge: { account: 'ada', keyId: 'one', tokens: 5, atMs: NOON },
          ...{ idempotencyKey: 'order', deliveries: 1, delivered: 0, repaid: 0 },
        },
      ],
    ],
  };
  for (const [name, entries] of Object.entries(tables)) {
    for (const [at, value] of entries) await table(name).put(at, value);
  }
  await root.close();
}

test('a ledger of the first form opens with its tokens, keys, membership and usage', async () => {
  await writeEarlierLedger();
  // Twice: what was brought to the present form stays so.
  for (let opened = 0; opened < 2; opened++) {
    const ledger = await openLedger(`lmdb:${folder}`, OPTIONS);
    const ada = (await ledger.accountByEmail('ada@GMAIL.com'))!;
    expect(ada).toMatchObject({
      id: 'ada',
      email: 'A.da@gmail.com',
      balance: 4_990,
      customer: null,
    });
    expect(isMember(ada.membership, NOON)).toBe(true);
    const bob = { id: 'bob', membership: null, disabled: true, balance: 7 };
    expect(await ledger.account('bob')).toMatchObject(bob);
    expect(await ledger.admit('hash of one', NOON)).toMatchObject({
      ...{ outcome: 'admitted', account: 'ada', keyId: 'one', member: true, balance: 4_990 },
    });
    expect((await ledger.admit('hash of two', NOON)).outcome).toBe('invalid-key');
    expect(await ledger.keys('ada')).toMatchObject([
      { id: 'one', revokedAtMs: null, lastUsedAtMs: Date.UTC(2026, 4, 2) },
      { id: 'two', revokedAtMs: expect.any(Number), lastUsedAtMs: null },
    ]);
    expect(await ledger.usage('ada')).toMatchObject([
      { day: '2026-05-01', keyId: 'one', requests: 2, tokens: 6 },
      { day: '2026-05-02', keyId: 'one', requests: 1, tokens: 4 },
    ]);
    expect(await ledger.audit('ada')).toEqual([]);
    expect(await ledger.secrets()).toEqual({ cursors: 'a secret' });
    // Nor is there a second sign-up grant for who is known.
    const order = { email: 'ada+2@gmail.com', by: 'owner', atMs: NOON } as const;
    expect(await ledger.openAccount(order)).toMatchObject({ isNew: false, account: { id: 'ada' } });
    await ledger.close();
  }
});

test('of accounts that were closed before that was written down, the trail tells', async () => {
  const options = { path: folder, noSubdir: false, maxDbs: 32 };
  const sharedStructuresKey = Symbol.for('structures');
  const before = await openLedger(`lmdb:${folder}`, OPTIONS);
  const { account } = await before.openAccount({ email: 'a@example.org', by: 'owner', atMs: NOON });
  await before.closeAccount(account.id, { by: 'owner', atMs: NOON + 1 });
  const without = await before.openAccount({ email: null, by: 'operator', atMs: NOON });
  await before.close();
  // As the third form had it.
  const root = open(options);
  const table = <V>(name: string) => root.openDB<V, string>({ name, sharedStructuresKey });
  const accounts = table<{ closedAtMs?: number | null }>('accounts');
  for (const id of [account.id, without.account.id]) {
    const { closedAtMs: _, ...record } = accounts.get(id)!;
    await accounts.put(id, record);
  }
  const reported = { type: 'invoice.paid', object: 'in_1', receivedAtMs: NOON };
  const never = Number.MAX_SAFE_INTEGER;
  await table('payment-events').put('evt_1', { id: 'evt_1', ...reported, endsAtMs: never });
  const lists = (name: string) =>
    root.openDB<true, (string | number)[]>({ name, sharedStructuresKey });
  await lists('open-payment-events').put([NOON, 'evt_1'], true);
  await lists('ends').put([never, 'events', 'evt_1'], true);
  await table('about').put('form', 3);
  await root.close();

  const ledger = await openLedger(`lmdb:${folder}`, OPTIONS);
  expect((await ledger.account(account.id))!.closedAtMs).toBe(NOON + 1);
  expect((await ledger.account(without.account.id))!.closedAtMs).toBeNull();
  expect(await ledger.openEvents(9)).toEqual([{ id: 'evt_1', ...reported }]);
  for (let event = 0; event < 3; event++) {
    await ledger.keepEvent({ id: `evt_new_${event}`, ...reported });
  }
  await ledger.closeEvent('evt_1', NOON);
  expect(await ledger.keepEvent({ id: 'evt_1', ...reported })).toBe(false);
  await ledger.close();

  // What ends is noted, and nothing else.
  const after = await ofThisTest(open(options));
  const ends = after.openDB<true, (string | number)[]>({ name: 'ends', sharedStructuresKey });
  expect([...ends.getKeys({})]).toEqual([[NOON + EVENT_LIFE_MS, 'events', 'evt_1']]);
});

test('a ledger that a newer program has written is refused, and stays as it is', async () => {
  await (await openLedger(`lmdb:${folder}`, OPTIONS)).close();
  const mark = async (form?: number) => {
    const root = open({ path: folder, noSubdir: false, maxDbs: 32 });
    const about = root.openDB<number, string>({
      name: 'about',
      sharedStructuresKey: Symbol.for('structures'),
    });
    if (form !== undefined) await about.put('form', form);
    const marked = about.get('form');
    await root.close();
    return marked;
  };
  await mark(99);
  const opened = openLedger(`lmdb:${folder}`, OPTIONS);
  await expect(opened).rejects.toThrow(/its records are of form 99, and this version knows up to/);
  await expect(opened).rejects.toThrow(LedgerUnavailable);
  expect(await mark()).toBe(99);
});

test('what was paid for before can be had again, and be refunded', async () => {
  await writeEarlierLedger();
  const ledger = await ofThisTest(openLedger(`lmdb:${folder}`, OPTIONS));
  const again = await ledger.replay('ada', { key: 'order', fingerprint: 'f' }, NOON);
  if (again?.outcome !== 'replayed') throw new Error(again?.outcome);
  expect(again).toMatchObject({ tokens: 5, charged: 0, balance: 4_990 });
  for (let delivery = 0; delivery < 2; delivery++) await ledger.undeliver(again.receipt);
  expect((await ledger.account('ada'))!.balance).toBe(4_995);
  expect((await ledger.usage('ada'))[0]).toMatchObject({ requests: 1, tokens: 1 });
});
