import { chmod, mkdir } from 'node:fs/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, expect, test } from 'vitest';
import { hashApiKey, mintApiKey } from '../../proxy/ledger/api-key.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { totalsOf } from '../support/account-totals.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;
const folder = folderOfEachTest();
const key = mintApiKey();

beforeEach(async () => {
  await mkdir(`${folder}/old`, { mode: 0o700 });
  const db = new DatabaseSync(`${folder}/old/ledger.db`);
  db.exec(`PRAGMA journal_mode = WAL; ${SCHEMA_1} PRAGMA user_version = 1`);
  const insert = (table: string, ...values: (string | number | null | Uint8Array)[]) => {
    db.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join()})`).run(...values);
  };
  insert('accounts', 'ada', 'Ada@x.org', 'ada@x.org', null, 0, 4_830, NOON, null, 'cus_1');
  insert('keys', hashApiKey(key), 'ada', 'k1', key.slice(0, 12), 'desk', NOON, null, 0, null);
  insert('grants', 'ada', 'signup', 5_000, NOON);
  insert('usage', 'ada', '2026-06-01', 'k1', 'POST /v1/blocks/summary', 2, 170, NOON);
  insert('audit', 1, 'ada', NOON, 'account-opened', '', 'owner');
  insert('sessions', 'ada', 'laptop', 'secret', NOON, 'Firefox', '192.0.2.1', NOON);
  insert('secrets', 'sessions', 'the secret of sessions');
  insert('former_mailboxes', 'hash of a mailbox', 1);
  const end = NOON + DAY_MS;
  insert('replays', 'ada', 'batch', 'of a batch', 'receipt', end);
  const receipt = ['receipt', 'ada', 'batch', 'k1', 'POST /v1/blocks/summary', 170, NOON, end];
  insert('receipts', ...receipt, 1, 0, 0);
  insert('responses', 'receipt', '{"content-type":"text/csv"}', Buffer.from('a response'));
  // One whose sign-up grant was to be given at a later sign-in, and one who has had it since.
  for (const [id, balance] of [['eve', 0] as const, ['bob', 5_000] as const]) {
    insert('accounts', id, `${id}@x.org`, `${id}@x.org`, null, 0, balance, NOON, null, null);
    insert('grants', id, 'signup-withheld:mailbox', 0, NOON);
  }
  insert('grants', 'bob', 'signup', 5_000, NOON + 1);
  db.close();
  await chmod(`${folder}/old/ledger.db`, 0o600);
});

const open = (name = 'old') =>
  ofThisTest(openLedger(`sqlite:${folder}/${name}`, { rateLimitPerMinute: 60 }));

test('a ledger of the first schema keeps balances, keys, usage, sessions and what was paid for', async () => {
  const ledger = await open();
  expect(await ledger.account('ada')).toMatchObject({ email: 'Ada@x.org', balance: 4_830 });
  expect(await totalsOf(ledger, 'ada')).toMatchObject({ granted: 5_000, used: 170 });
  expect(await ledger.admit(hashApiKey(key), NOON)).toMatchObject({
    outcome: 'admitted',
    account: 'ada',
    keyId: 'k1',
    balance: 4_830,
  });
  const session = { account: 'ada', id: 'laptop', secretHash: 'secret' };
  expect(await ledger.session(session, NOON)).toBeDefined();
  expect(await ledger.secret('sessions')).toBe('the secret of sessions');
  expect(await ledger.formerMailboxes()).toEqual([{ hash: 'hash of a mailbox', disabled: true }]);
  // A response that has no checksum is computed again, for nothing.
  const batch = { key: 'batch', fingerprint: 'of a batch' };
  const paid = { outcome: 'replayed', tokens: 170, charged: 0, balance: 4_830 };
  expect(await ledger.replay('ada', batch, NOON)).toMatchObject({ ...paid, response: null });
});

test('a ledger of the first schema credits the sign-up grants that it has delayed a day later, and no others', async () => {
  const ledger = await open();
  expect(await ledger.dueGrants(NOON + DAY_MS - 1)).toEqual([]);
  const due = await ledger.dueGrants(NOON + DAY_MS);
  expect(due.map(({ account }) => account)).toEqual(['eve']);
});

test('a ledger of the third schema keeps when its delayed grants are due, but for closed accounts', async () => {
  await (await openLedger(`sqlite:${folder}/old`, { rateLimitPerMinute: 60 })).close();
  const db = new DatabaseSync(`${folder}/old/ledger.db`);
  db.exec(`
    DROP TABLE delay_queues;
    DROP TABLE delayed_grants;
    ALTER TABLE challenges ADD COLUMN wrongCodes INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE delayed_grants (
      account TEXT PRIMARY KEY,
      dueAtMs INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delayed_grants_by_due ON delayed_grants (dueAtMs);
    INSERT INTO delayed_grants VALUES ('eve', ${NOON + 5}), ('bob', ${NOON + 4});
    UPDATE accounts SET closedAtMs = ${NOON} WHERE id = 'bob';
    PRAGMA user_version = 3`);
  db.close();
  const due = await (await open()).dueGrants(NOON + 9);
  expect(due.map(({ account, dueAtMs }) => [account, dueAtMs])).toEqual([['eve', NOON + 5]]);
});

test('an upgraded ledger has the tables and indexes of a new one, also if two open it at once', async () => {
  await Promise.all([open(), open(), open('new')]);
  const shape = (name: string) => {
    const db = new DatabaseSync(`${folder}/${name}/ledger.db`, { readOnly: true });
    const objects = db
      .prepare("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
      .all()
      .map((row) => row as { type: string; name: string });
    const columns = objects.map(({ type, name }) => [
      name,
      db.prepare(`PRAGMA ${type}_info(${name})`).all(),
    ]);
    const version = db.prepare('PRAGMA user_version').get();
    db.close();
    return { version, columns };
  };
  expect(shape('old')).toEqual(shape('new'));
  expect(shape('old').columns.length).toBeGreaterThan(20);
});

test('a ledger of a later schema is refused, unchanged', async () => {
  const db = new DatabaseSync(`${folder}/old/ledger.db`);
  db.exec('PRAGMA user_version = 1000');
  db.close();
  await expect(open()).rejects.toThrow(LedgerUnavailable);
  await expect(open()).rejects.toThrow(/format 1000, and this version supports up to \d+/);
});

/** The tables of version 1, as they were. */
const SCHEMA_1 = `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT,
    mailbox TEXT UNIQUE,
    membership TEXT,
    disabled INTEGER NOT NULL,
    balance INTEGER NOT NULL CHECK (balance >= 0),
    createdAtMs INTEGER NOT NULL,
    closedAtMs INTEGER,
    customer TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE former_mailboxes (
    hash TEXT PRIMARY KEY,
    disabled INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (
    hash TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    id TEXT NOT NULL,
    prefix TEXT NOT NULL,
    label TEXT NOT NULL,
    createdAtMs INTEGER NOT NULL,
    lastUsedAtMs INTEGER,
    disabled INTEGER NOT NULL,
    revokedAtMs INTEGER,
    UNIQUE (account, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE grants (
    account TEXT NOT NULL,
    cause TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    atMs INTEGER NOT NULL,
    PRIMARY KEY (account, cause)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage (
    account TEXT NOT NULL,
    day TEXT NOT NULL,
    keyId TEXT NOT NULL,
    route TEXT NOT NULL,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    lastAtMs INTEGER NOT NULL,
    PRIMARY KEY (account, day, keyId, route)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE audit (
    entry INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    atMs INTEGER NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL,
    by TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_account ON audit (account, atMs);
  CREATE TABLE sessions (
    account TEXT NOT NULL,
    id TEXT NOT NULL,
    secretHash TEXT NOT NULL,
    startedAtMs INTEGER NOT NULL,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    seenAtMs INTEGER NOT NULL,
    PRIMARY KEY (account, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE challenges (
    mailbox TEXT PRIMARY KEY,
    codeHash TEXT NOT NULL,
    linkHash TEXT NOT NULL,
    endsAtMs INTEGER NOT NULL,
    wrongCodes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX challenges_by_end ON challenges (endsAtMs);
  CREATE TABLE limits (
    subject TEXT PRIMARY KEY,
    startMs INTEGER NOT NULL,
    used INTEGER NOT NULL,
    endsAtMs INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX limits_by_end ON limits (endsAtMs);
  CREATE TABLE payment_events (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    object TEXT NOT NULL,
    receivedAtMs INTEGER NOT NULL,
    endsAtMs INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX open_payment_events ON payment_events (receivedAtMs, id) WHERE endsAtMs IS NULL;
  CREATE INDEX payment_events_by_end ON payment_events (endsAtMs) WHERE endsAtMs IS NOT NULL;
  CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    secret TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE replays (
    account TEXT NOT NULL,
    idempotencyKey TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    receipt TEXT NOT NULL,
    endsAtMs INTEGER NOT NULL,
    PRIMARY KEY (account, idempotencyKey)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX replays_by_end ON replays (endsAtMs);
  CREATE TABLE receipts (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    idempotencyKey TEXT NOT NULL,
    keyId TEXT NOT NULL,
    route TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    atMs INTEGER NOT NULL,
    endsAtMs INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    repaid INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX receipts_by_end ON receipts (endsAtMs);
  CREATE TABLE responses (
    receipt TEXT PRIMARY KEY,
    headers TEXT NOT NULL,
    gzip BLOB NOT NULL
  ) STRICT;
`;
