import { expect, test } from 'vitest';
import { type AccountRecords, WITHOUT_END } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import {
  exportLines,
  importLines,
  NotAnExport,
  type Transferred,
} from '../../proxy/ledger/transfer.ts';
import { chargeAndKeep } from '../support/charged-response.ts';
import { BY, issuedKey, newAccount, ROUTE } from '../support/customers.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { ofEachTest } from '../support/test-resources.ts';

const OPTIONS = { rateLimitPerMinute: 1_000 };
const NOON = Date.UTC(2027, 0, 1, 12);
const newAddress = newSqliteLedgers();
const from = ofEachTest(() => openLedger(newAddress(), OPTIONS));
const to = ofEachTest(() => openLedger(newAddress(), OPTIONS));

/** Exports a ledger, and returns the lines, the totals and the reported progress. */
async function exported(ledger: Ledger) {
  const reported: number[] = [];
  const exporting = exportLines(ledger, (done) => reported.push(done));
  const lines: string[] = [];
  for (;;) {
    const { done, value } = await exporting.next();
    if (done) return { lines, totals: value, reported };
    lines.push(value);
  }
}

async function* each(lines: readonly string[]) {
  yield* lines;
}

async function imported(lines: readonly string[]) {
  const reported: number[] = [];
  const totals = await importLines(to, each(lines), (done) => reported.push(done));
  return { totals, reported };
}

/** Opens the account of a member with a key, who has spent 40 of 100 tokens. */
async function customer(email: string | null) {
  const { id } = await newAccount(from, { email, member: true });
  await from.grant(id, { tokens: 100, cause: 'first', atMs: NOON }, 'operator');
  const { key } = await issuedKey(from, id, 'a label', NOON);
  await from.debit({ account: id, keyId: key.id, route: ROUTE, tokens: 40, atMs: NOON });
  return id;
}

test('a ledger that is exported and imported has the same accounts, secrets and mailboxes', async () => {
  const open = [await customer('one@example.org'), await customer(null)];
  const untouched = await newAccount(from, { email: 'two@example.org' });
  const closed = await newAccount(from, { email: 'closed@example.org' });
  await from.closeAccount(closed.id, BY);
  const banned = await newAccount(from, { email: 'banned@example.org' });
  await from.setDisabled(banned.id, true, BY);
  await from.closeAccount(banned.id, BY);
  const secret = await from.secret('of links');

  const { lines, totals, reported } = await exported(from);
  const all: Transferred = { accounts: 5, tokens: 120, alreadyThere: 0 };
  expect([totals, reported]).toEqual([all, [1, 2, 3, 4, 5]]);
  expect(lines).toHaveLength(7);
  expect(await imported(lines)).toEqual({ totals: all, reported: [1, 2, 3, 4, 5] });
  for (const id of [...open, untouched.id, closed.id, banned.id]) {
    expect(await to.exportAccount(id)).toEqual(await from.exportAccount(id));
  }
  expect(await to.secret('of links')).toBe(secret);
  const byHash = (ledger: Ledger) =>
    ledger.formerMailboxes().then((list) => new Map(list.map((one) => [one.hash, one.disabled])));
  expect(await byHash(to)).toEqual(await byHash(from));
  expect([...(await byHash(to)).values()].toSorted()).toEqual([false, true]);
  expect((await exported(to)).lines).toEqual(lines);

  // The second time, nothing changes.
  const again = { accounts: 0, tokens: 0, alreadyThere: 5 };
  expect(await imported(lines)).toEqual({ totals: again, reported: [1, 2, 3, 4, 5] });
  expect((await exported(to)).lines).toEqual(lines);
});

test('the export of an empty ledger has two lines', async () => {
  const { lines, totals } = await exported(from);
  const none = { accounts: 0, tokens: 0, alreadyThere: 0 };
  expect([lines.length, totals, (await imported(lines)).totals]).toEqual([2, none, none]);
});

test('an export that is cut off, continues past its end or lacks an account is refused with the line', async () => {
  await customer('one@example.org');
  await customer('two@example.org');
  const [head, one, two, tail] = (await exported(from)).lines;
  for (const [lines, fault] of [
    [[], 'ends after line 0, before the end of the export'],
    [[head, one], 'ends after line 2, before the end of the export'],
    [[head, one, tail], 'line 3: 2 accounts were exported, but 1 arrived'],
    [[head, one, two, two, tail], 'line 5: 2 accounts were exported, but 3 arrived'],
    [[head, one, two, tail, two], 'line 5: unexpected data after the end'],
    [[head, one, two, tail, 'x'], 'line 5: unexpected data after the end'],
    [[head, one.slice(0, -1)], 'line 2: is not JSON'],
    [[''], 'line 1: is not JSON'],
  ] as const) {
    const error = await imported(lines).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(NotAnExport);
    expect([error.name, error.message]).toEqual(['NotAnExport', fault]);
  }
});

test('empty lines at the end of an export are no data', async () => {
  await customer('one@example.org');
  const { lines } = await exported(from);
  const { totals } = await imported([...lines, '', ' ', '']);
  expect(totals.accounts).toBe(1);
});

test.each([
  '{}',
  '[]',
  'null',
  '7',
  '{"ledger":3,"secrets":{},"formerMailboxes":[],"disabledMailboxes":[]}',
])('the first line %s is refused', async (head) => {
  const fault = /^line 1: .*(is not a ledger export that this version supports|expected object)/;
  await expect(imported([head])).rejects.toThrow(fault);
});

test('an export that lacks a charge or an event, or has a faulty one, is refused with the line', async () => {
  const { id } = await newAccount(from);
  await from.grant(id, { tokens: 10, cause: 'first', atMs: NOON }, 'operator');
  const charge = { account: id, keyId: 'k', route: ROUTE, tokens: 4, atMs: NOON };
  const response = { headers: { etag: '"x"' }, gzip: Buffer.from('body') };
  await chargeAndKeep(from, charge, { key: 'order', fingerprint: 'f' }, response);
  for (const id of ['evt_open', 'evt_done']) {
    await from.storeEvent({ id, type: 'paid', object: 'cs_1', receivedAtMs: NOON });
  }
  await from.closeEvent('evt_done', NOON);
  const { lines } = await exported(from);
  expect(lines).toHaveLength(6);
  for (const [lost, fault] of [
    [1, 'line 5: 1 replays were exported, but 0 arrived'],
    [3, 'line 5: 2 events were exported, but 1 arrived'],
    [4, 'line 5: 2 events were exported, but 1 arrived'],
  ] as const) {
    await expect(imported(lines.toSpliced(lost, 1))).rejects.toThrow(fault);
  }
  for (const [at, from, to, fault] of [
    [1, '"key":"order"', '"key":""', 'line 2: replay.key: '],
    [1, '"repaid":0', '"repaid":5', 'line 2: replay.tokens: '],
    [1, '"gzip":"', '"gzip":"!', 'line 2: replay.response.gzip: '],
    [3, '"evt_done"', '7', 'line 4: closedEvents.0: '],
    [4, '"type":"paid"', '"type":7', 'line 5: event.type: '],
  ] as const) {
    const changed = lines.with(at, lines[at].replace(from, to));
    await expect(imported(changed)).rejects.toThrow(fault);
  }
});

test.each(['secrets', 'formerMailboxes', 'disabledMailboxes'])(
  'a first line whose %s have a wrong type is refused',
  async (member) => {
    const head = { ledger: 2, secrets: {}, formerMailboxes: [], disabledMailboxes: [] };
    for (const [value, path] of [
      [7, member],
      [undefined, member],
      [member === 'secrets' ? { a: 7 } : [7], `${member}.${member === 'secrets' ? 'a' : 0}`],
    ]) {
      const line = JSON.stringify({ ...head, [member as string]: value });
      await expect(imported([line])).rejects.toThrow(`line 1: ${path}: `);
    }
  },
);

test('a later line that is not an account is refused with the wrong member', async () => {
  const id = await customer('one@example.org');
  const [head] = (await exported(from)).lines;
  const records = (await from.exportAccount(id))!;
  const refuses = async (line: unknown, fault: string) =>
    expect(imported([head, JSON.stringify(line)])).rejects.toThrow(`line 2: ${fault}`);
  for (const line of [null, 7, []]) await refuses(line, 'Invalid input: expected object');
  for (const accounts of [0.5, 'x']) await refuses({ accounts }, 'accounts: ');
  const delayedGrant = { waitsFor: 'day', dueAtMs: 1, orderMs: 2, network: '192.0.2.0/24' };
  const wrong: Readonly<Record<keyof AccountRecords, Readonly<Record<string, unknown[]>>>> = {
    account: {
      id: [7, '', 'a b', '{a', 'a}'],
      email: [7],
      membership: [7],
      disabled: [0],
      balance: [-1, 0.5, '1'],
      createdAtMs: ['1'],
      closedAtMs: ['1'],
      customer: [7],
    },
    keys: {
      hash: [7],
      id: [7, '', 'a b', ' a', 'a '],
      prefix: [7],
      label: [7],
      createdAtMs: [null],
      lastUsedAtMs: ['1'],
      disabled: [1],
      revokedAtMs: ['1'],
    },
    grants: { tokens: [0.5, '1'], cause: [7], atMs: [null] },
    usage: {
      day: ['2027-02-30', 7],
      keyId: [7],
      route: [7],
      requests: [-1, 0.5],
      tokens: [-1, 0.5],
      lastAtMs: [null],
    },
    audit: { atMs: [null], by: ['somebody'], detail: [7], what: ['something'] },
    delayedGrant: { waitsFor: [7], dueAtMs: [0.5, '1'], orderMs: [null], network: [7] },
  };
  for (const [table, members] of Object.entries(wrong)) {
    const rows = { ...records, delayedGrant }[table as keyof AccountRecords]!;
    const first = Array.isArray(rows) ? rows[0] : rows;
    const at = Array.isArray(rows) ? `${table}.0` : table;
    await refuses({ ...records, [table]: undefined }, `${table}: `);
    expect(Object.keys(members).toSorted()).toEqual(Object.keys(first).toSorted());
    for (const [member, values] of Object.entries(members)) {
      for (const value of [...values, undefined]) {
        const changed = { ...first, [member]: value };
        const line = { ...records, [table]: Array.isArray(rows) ? [changed] : changed };
        await refuses(line, `${at}.${member}: `);
      }
    }
  }
  for (const [member, value] of [
    ['status', 'former'],
    ['untilMs', '1'],
    ['renewsAtMs', '1'],
    ['subscription', 7],
  ] as const) {
    const account = { ...records.account, membership: { ...WITHOUT_END, [member]: value } };
    await refuses({ ...records, account }, `account.membership.${member}: `);
  }
});

test('an account whose balance is not its grants less its usage is refused', async () => {
  const id = await customer('one@example.org');
  const [head] = (await exported(from)).lines;
  const records = (await from.exportAccount(id))!;
  const account = { ...records.account, balance: 61 };
  await expect(imported([head, JSON.stringify({ ...records, account })])).rejects.toThrow(
    `line 2: account ${id} was granted 100 tokens and used 40, but has 61`,
  );
  expect(await to.account(id)).toBeUndefined();
});

test('a delayed sign-up grant keeps its time and place, unless its account is closed', async () => {
  const atMs = Date.UTC(2026, 5, 1, 12);
  const delayed = async (email: string) => {
    const signupGrant = { tokens: 0, cause: 'signup-withheld:network', atMs };
    const { account } = await from.openAccount({ email, signupGrant, by: 'owner', atMs });
    const place = { waitsFor: 'day', orderMs: atMs + 2, network: '192.0.2.0/24' };
    await from.delayGrant(account.id, { dueAtMs: atMs + 7, ...place });
    return account.id;
  };
  const open = await delayed('one@example.org');
  const closed = await delayed('two@example.org');
  await from.closeAccount(closed, { by: 'owner', atMs });
  await imported((await exported(from)).lines);
  expect(await to.delayedGrant(open)).toEqual(await from.delayedGrant(open));
  expect(await to.account(closed)).toBeDefined();
  expect(await to.delayedGrant(closed)).toBeUndefined();
});
