import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECEIPT_LIFE_MS, RESPONSE_LIFE_MS, type Receipt } from '../../proxy/ledger/replays.ts';
import { account, grants } from '../../proxy/ledger/sqlite/account-state.ts';
import { openAccount } from '../../proxy/ledger/sqlite/accounts.ts';
import * as books from '../../proxy/ledger/sqlite/balances.ts';
import { WRITES } from '../../proxy/ledger/sqlite/operations.ts';
import * as replays from '../../proxy/ledger/sqlite/replays.ts';
import { SqlConnection } from '../../proxy/ledger/sqlite/sql-connection.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from '../transit/dice.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 5, 1, 12);

/** The model of a debit for a response. */
interface OnPaper {
  readonly charge: { readonly tokens: number; readonly atMs: number };
  readonly receipt: Receipt;
  readonly request: { readonly key: string; readonly fingerprint: string };
  readonly body: string;
  /** Number of deliveries under way. */
  deliveries: number;
  /** Most tokens' worth that a failed delivery has delivered. */
  delivered: number;
  repaid: number;
}

/** Opens a ledger in memory, with one account. */
function newBooks() {
  const db = new SqlConnection(':memory:');
  const order = { email: null, grant: null, by: 'operator', atMs: NOON } as const;
  return { db, id: openAccount(db, order).account.id };
}

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

test('each response is paid for once, in the part that was delivered, whatever is replayed, lost or expires', () =>
  forAll(25, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { db, id } = newBooks();
    WRITES.grant(db, id, { tokens: 90, cause: 'first', atMs: NOON }, 'operator');
    const paid: OnPaper[] = [];
    const current = new Map<string, OnPaper>();
    let [now, balance, requests] = [NOON, 90, 0];
    const isKept = (one: OnPaper) => now < one.charge.atMs + RESPONSE_LIFE_MS;
    for (let step = 0; step < 60; step++) {
      if (dice.chance(0.15)) now += dice.pick([1, HOUR, 23 * HOUR, RESPONSE_LIFE_MS]);
      const request = { key: `key ${dice.below(3)}`, fingerprint: `body ${dice.below(4) >> 1}` };
      const known = current.get(request.key);
      if (dice.chance(0.4)) {
        // A delivery of any response fails, perhaps after a part of the response was delivered.
        const one = dice.pick(paid.filter(({ deliveries }) => deliveries > 0));
        if (!one || now >= one.charge.atMs + RECEIPT_LIFE_MS) continue;
        const { tokens } = one.charge;
        const undelivered = dice.pick([undefined, tokens, dice.below(tokens + 1)]);
        replays.undeliver(db, one.receipt, undelivered);
        one.deliveries--;
        one.delivered = Math.max(one.delivered, tokens - (undelivered ?? tokens));
        if (one.deliveries === 0) {
          balance += tokens - one.delivered;
          one.repaid = tokens - one.delivered;
          if (one.delivered === 0) {
            requests--;
            if (current.get(one.request.key) === one) current.delete(one.request.key);
          }
        }
      } else {
        const isDebit = dice.chance(0.6);
        const tokens = 1 + dice.below(39);
        const charge = { account: id, keyId: 'key', route: 'POST /v1/x', tokens, atMs: now };
        const got = isDebit
          ? replays.debitOnce(db, charge, request)
          : replays.replay(db, id, request, now);
        if (known && isKept(known)) {
          if (known.request.fingerprint !== request.fingerprint) {
            expect(got).toEqual({ outcome: 'conflict' });
          } else if (known.repaid > balance) {
            expect(got).toEqual({ outcome: 'insufficient', tokens: known.repaid, balance });
          } else {
            balance -= known.repaid;
            const { charge, receipt, body } = known;
            const [charged, response] = [known.repaid, { headers: { etag: body } }];
            expect(got).toMatchObject({ outcome: 'replayed', balance, charged, receipt, response });
            expect(got).toMatchObject({ tokens: charge.tokens });
            expect(bodyOf(got)).toBe(body);
            known.repaid = 0;
            known.deliveries++;
          }
        } else if (!isDebit) {
          expect(got).toBeUndefined();
        } else if (tokens > balance) {
          expect(got).toEqual({ outcome: 'insufficient', balance });
        } else {
          balance -= tokens;
          requests++;
          expect(got).toMatchObject({ outcome: 'debited', balance });
          const { receipt } = got as { receipt: Receipt };
          expect(receipt).toMatchObject({ account: id, endsAtMs: now + RESPONSE_LIFE_MS });
          const body = `response ${step}`;
          replays.storeResponse(db, receipt, { headers: { etag: body }, gzip: gzipSync(body) });
          const one = { charge, receipt, request, body, deliveries: 1, delivered: 0, repaid: 0 };
          current.set(request.key, one);
          paid.push(one);
        }
      }
      expect(read(db, id)).toMatchObject({ balance, requests, granted: 90, used: 90 - balance });
    }
    db.close();
  }));

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

test('a replay is refused if the tokens refunded for it have been spent since', () => {
  const { db, id, debit } = withDebit(90);
  replays.undeliver(db, debit(NOON), 80);
  books.debit(db, { account: id, keyId: 'key', route: 'GET /v1/x', tokens: 11, atMs: NOON });
  const request = { key: 'key', fingerprint: 'body' };
  const meant = { outcome: 'insufficient', tokens: 80, balance: 79 };
  expect(replays.replay(db, id, request, NOON)).toEqual(meant);
  expect(read(db, id)).toMatchObject({ balance: 79, used: 21, requests: 2 });
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
  const rows = (table: string) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
  const day = RESPONSE_LIFE_MS / HOUR;
  expect([rows('replays'), rows('responses'), rows('receipts')]).toEqual([
    day + 1,
    day + 1,
    RECEIPT_LIFE_MS / HOUR + 1,
  ]);
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

/** Returns the body of a replayed response. */
function bodyOf(replay: unknown): string {
  const { response } = replay as { response: { gzip: Uint8Array } };
  return gunzipSync(response.gzip).toString();
}
