import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  RECEIPT_LIFE_MS,
  RESPONSE_LIFE_MS,
  type Receipt,
  type Replays,
} from '../../proxy/ledger/replays.ts';
import { account, grants } from '../../proxy/ledger/sqlite/account-state.ts';
import { openAccount } from '../../proxy/ledger/sqlite/accounts.ts';
import * as books from '../../proxy/ledger/sqlite/balances.ts';
import { WRITES } from '../../proxy/ledger/sqlite/operations.ts';
import * as replays from '../../proxy/ledger/sqlite/replays.ts';
import { storeChallenge, takeLimited } from '../../proxy/ledger/sqlite/sign-ins.ts';
import { SqlConnection } from '../../proxy/ledger/sqlite/sql-connection.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from '../transit/dice.ts';
import { paidOnceModel } from './paid-once-model.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 5, 1, 12);

/** Opens a ledger in memory, with one account. */
function newBooks() {
  const db = new SqlConnection(':memory:');
  const order = { email: null, grant: null, by: 'operator', atMs: NOON } as const;
  return { db, id: openAccount(db, order).account.id };
}

const rowsOf = (db: SqlConnection, table: string) =>
  db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;

/** Reads the account's balance, and the sums that it consists of. */
function read(db: SqlConnection, id: string) {
  const usage = books.usage(db, id);
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
  return {
    balance: account(db, id)!.balance,
    granted: sum(grants(db, id).map(({ tokens }) => tokens)),
    used: sum(usage.map(({ tokens }) => tokens)),
    requests: sum(usage.map(({ requests }) => requests)),
    days: usage.map(({ day, keyId, route }) => `${day} ${keyId} ${route}`),
  };
}

paidOnceModel('SQLite', 25, async () => {
  const { db, id } = newBooks();
  WRITES.grant(db, id, { tokens: 90, cause: 'first', atMs: NOON }, 'operator');
  const ledger: Replays = {
    debitOnce: async (...args) => replays.debitOnce(db, ...args),
    replay: async (...args) => replays.replay(db, ...args),
    undeliver: async (...args) => replays.undeliver(db, ...args),
    storeResponse: async (...args) => replays.storeResponse(db, ...args),
  };
  return { ledger, account: id, totals: async () => read(db, id) };
});

/**
 * Opens a ledger whose account has 100 tokens; `debit` charges `tokens` for a response, `store`
 * stores the response, and `kept` replays it.
 */
function withDebit(tokens: number) {
  const { db, id } = newBooks();
  WRITES.grant(db, id, { tokens: 100, cause: 'first', atMs: NOON }, 'operator');
  const request = { key: 'key', fingerprint: 'body' };
  const debit = (atMs: number, key = request.key) => {
    const charge = { account: id, keyId: 'key', route: 'POST /v1/x', tokens, atMs };
    const got = replays.debitOnce(db, charge, { ...request, key });
    if (got.outcome !== 'debited') throw new Error(got.outcome);
    return got.receipt;
  };
  const kept = (atMs: number) => {
    const got = replays.replay(db, id, request, atMs);
    if (got?.outcome !== 'replayed') return got?.outcome;
    return got.response === 'damaged' ? 'damaged' : got.response?.headers.etag;
  };
  const store = (receipt: Receipt, etag: string, bytes = 1) =>
    replays.storeResponse(db, receipt, { headers: { etag }, gzip: new Uint8Array(bytes) });
  const responses = () => db.get<{ n: number }>('SELECT count(*) AS n FROM responses')!.n;
  return { db, id, responses, debit, kept, store };
}

test('a failed delivery counts once, and a report without a debit changes nothing', () => {
  const { db, id, debit } = withDebit(30);
  const receipt = debit(NOON);
  replays.undeliver(db, receipt, 10);
  for (const report of [receipt, { ...receipt, id: 'none' }, { ...receipt, account: 'nobody' }]) {
    replays.undeliver(db, report, 30);
    expect(read(db, id)).toMatchObject({ balance: 80, used: 20, requests: 1 });
  }
  // Later deliveries count as before.
  const request = { key: 'key', fingerprint: 'body' };
  expect(replays.replay(db, id, request, NOON)).toMatchObject({ charged: 10, balance: 70 });
  replays.undeliver(db, receipt, 10);
  expect(read(db, id)).toMatchObject({ balance: 80, used: 20, requests: 1 });
});

test('a response is stored for the debit that paid for it, while that debit is the last under its key', () => {
  const { responses, debit, kept, store } = withDebit(10);
  const first = debit(NOON);
  store(first, 'of the first');
  const later = NOON + RESPONSE_LIFE_MS;
  const second = debit(later);
  store(first, 'too late');
  expect([kept(later), responses()]).toEqual([undefined, 0]);
  store(second, 'of the second');
  expect([kept(later), responses()]).toEqual(['of the second', 1]);
});

test('a response that has expired is not stored, though its debit can still be undone', () => {
  const { db, id, responses, debit, store } = withDebit(10);
  const receipt = debit(NOON);
  debit(NOON + RESPONSE_LIFE_MS + 1, 'another key');
  store(receipt, 'too late');
  expect(responses()).toBe(0);
  replays.undeliver(db, receipt);
  expect(read(db, id)).toMatchObject({ balance: 90, used: 10, requests: 1 });
});

test('a response that was not delivered at all is not stored later', () => {
  const { db, responses, debit, kept, store } = withDebit(10);
  const receipt = debit(NOON);
  replays.undeliver(db, receipt);
  store(receipt, 'too late');
  expect([kept(NOON), responses()]).toEqual([undefined, 0]);
});

test('expired responses and receipts do not pile up', () => {
  const { db, id } = withDebit(1);
  for (let hour = 0; hour < 100; hour++) {
    const charge = { account: id, keyId: 'key', route: 'POST /v1/x', tokens: 1, atMs: hour * HOUR };
    const request = { key: `key ${hour}`, fingerprint: 'body' };
    const { receipt } = replays.debitOnce(db, charge, request) as { receipt: Receipt };
    replays.storeResponse(db, receipt, { headers: {}, gzip: new Uint8Array(1) });
  }
  const day = RESPONSE_LIFE_MS / HOUR;
  expect(['replays', 'responses', 'receipts'].map((table) => rowsOf(db, table))).toEqual([
    day,
    day,
    RECEIPT_LIFE_MS / HOUR,
  ]);
});

test('challenges and windows that have ended do not pile up', () => {
  const { db } = newBooks();
  for (let i = 0; i < 20; i++) {
    const challenge = { startedAtMs: i, codeHash: 'code', linkHash: 'link', endsAtMs: i + 10 };
    storeChallenge(db, `mailbox ${i}`, challenge);
    takeLimited(db, `subject ${i}`, { limit: 1, windowSeconds: 0.01 }, i);
  }
  expect([rowsOf(db, 'challenges'), rowsOf(db, 'limits')]).toEqual([10, 10]);
});

test('the balance is the sum of grants minus that of usage, by day, key and route', () =>
  forAll(25, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { db, id } = newBooks();
    let [balance, granted, requests] = [0, 0, 0];
    const causes = new Set<string>();
    const open: { tokens: number; keyId: string; route: string; atMs: number }[] = [];
    for (let step = 0; step < 60; step++) {
      const tokens = dice.below(30);
      const grant = { tokens, cause: `cause ${dice.below(30)}`, atMs: NOON };
      const isNew = !causes.has(grant.cause);
      const kind = dice.pick(['debit', 'debit', 'refund', 'grant', 'take back'] as const);
      if (kind === 'debit') {
        const charge = {
          account: id,
          keyId: `key ${dice.below(2)}`,
          route: `GET /v1/${dice.below(2)}`,
          tokens,
          atMs: NOON + dice.pick([0, 12 * HOUR - 1, 12 * HOUR]),
        };
        const isPayable = tokens <= balance;
        if (isPayable) balance -= tokens;
        const outcome = isPayable ? 'debited' : 'insufficient';
        expect(books.debit(db, charge)).toEqual({ outcome, balance });
        if (isPayable) open.push(charge);
        if (isPayable) requests++;
      } else if (kind === 'refund' && open.length > 0) {
        const [charge] = open.splice(dice.below(open.length), 1);
        const undelivered = dice.pick([undefined, charge.tokens, dice.below(charge.tokens + 1)]);
        books.refund(db, { account: id, ...charge }, undelivered);
        balance += undelivered ?? charge.tokens;
        if (undelivered === undefined || undelivered === charge.tokens) requests--;
        // The rest stays charged.
      } else if (kind === 'grant') {
        if (isNew) [balance, granted] = [balance + tokens, granted + tokens];
        expect(WRITES.grant(db, id, grant, 'operator')).toEqual({ granted: isNew, balance });
        causes.add(grant.cause);
      } else if (kind === 'take back') {
        const taken = isNew ? Math.min(tokens, balance) : 0;
        [balance, granted] = [balance - taken, granted - taken];
        expect(WRITES.takeBack(db, id, grant, 'payment')).toEqual({ taken, balance });
        causes.add(grant.cause);
      }
      const now = read(db, id);
      expect(now).toMatchObject({ balance, granted, requests, used: granted - balance });
      expect(now.days).toEqual([...new Set(now.days)].sort());
    }
    db.close();
  }));

test('a debit counts under its UTC day, and a refund needs a debit of the same day, key and route', () => {
  const { db, id } = newBooks();
  WRITES.grant(db, id, { tokens: 20, cause: 'first', atMs: NOON }, 'operator');
  const charge = { account: id, keyId: 'key', route: 'GET /v1/x', tokens: 5 };
  const midnight = Date.UTC(2026, 5, 2);
  books.debit(db, { ...charge, atMs: midnight - 1 });
  books.debit(db, { ...charge, atMs: midnight });
  books.debit(db, { ...charge, atMs: midnight + 7 });
  const later = midnight + 24 * HOUR;
  for (const other of [
    { ...charge, atMs: later },
    { ...charge, atMs: midnight, keyId: 'other' },
    { ...charge, atMs: midnight, route: 'GET /v1/y' },
    { ...charge, atMs: midnight - 1, tokens: 6 },
  ]) {
    expect(() => books.refund(db, other)).toThrow(/no debit of [56] tokens to refund to/);
  }
  expect(() => books.refund(db, { ...charge, atMs: midnight }, 6)).toThrow(RangeError);
  expect(books.usage(db, id)).toEqual([
    {
      day: '2026-06-01',
      keyId: 'key',
      route: 'GET /v1/x',
      requests: 1,
      tokens: 5,
      lastAtMs: midnight - 1,
    },
    {
      day: '2026-06-02',
      keyId: 'key',
      route: 'GET /v1/x',
      requests: 2,
      tokens: 10,
      lastAtMs: midnight + 7,
    },
  ]);
  expect(books.usage(db, id, { from: '2026-06-02' }).map(({ day }) => day)).toEqual(['2026-06-02']);
  expect(books.usage(db, id, { to: '2026-06-01' }).map(({ day }) => day)).toEqual(['2026-06-01']);
  expect(() => books.debit(db, { ...charge, account: 'nobody', atMs: NOON })).toThrow(
    'no account nobody',
  );
});
