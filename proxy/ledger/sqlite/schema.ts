/** Version of the schema, stored as SQLite's `user_version`; 0 is an empty file. */
export const SCHEMA_VERSION = 5;

/**
 * The tables of a ledger. Columns are named like the fields of the records that callers see; times
 * are in ms since 1970.
 */
export const SCHEMA = `
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
  CREATE TABLE delayed_grants (
    account TEXT PRIMARY KEY,
    waitsFor TEXT NOT NULL,
    dueAtMs INTEGER NOT NULL,
    orderMs INTEGER NOT NULL,
    network TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX delayed_grants_in_order ON delayed_grants (waitsFor, orderMs, account);
  CREATE TABLE delay_queues (
    waitsFor TEXT PRIMARY KEY,
    nextAtMs INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX delay_queues_by_time ON delay_queues (nextAtMs);
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
  CREATE INDEX sessions_by_use ON sessions (seenAtMs);
  CREATE TABLE challenges (
    mailbox TEXT PRIMARY KEY,
    codeHash TEXT NOT NULL,
    linkHash TEXT NOT NULL,
    endsAtMs INTEGER NOT NULL
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
    account TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    headers TEXT NOT NULL,
    gzip BLOB NOT NULL
  ) STRICT;
  CREATE INDEX responses_by_size ON responses (account, bytes);
`;
