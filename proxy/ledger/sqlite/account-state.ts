import {
  type Account,
  type AccountId,
  AUDIT_KEPT,
  type AuditEntry,
  type Grant,
  type HashedKey,
} from '../accounts.ts';
import { grantsInOrder, keysInOrder } from '../bookkeeping.ts';
import {
  type AccountState,
  appended,
  apply,
  difference,
  type Entry,
  membershipText,
  readOnce,
} from '../entries.ts';
import { mailboxOf } from '../mailbox.ts';
import type { WindowState } from '../rate-window.ts';
import { SESSION_LIFE_MS, type StoredSession } from '../sessions.ts';
import { type OnSqlite, removeEnded, type SqlConnection } from './sql-connection.ts';

interface AccountRow extends Omit<Account, 'membership' | 'disabled'> {
  readonly mailbox: string | null;
  readonly membership: string | null;
  readonly disabled: number;
}

interface KeyRow extends Omit<HashedKey, 'disabled'> {
  readonly account: AccountId;
  readonly disabled: number;
}

/** An audit entry with its row number; one that is not stored yet has none. */
type AuditRow = AuditEntry & { readonly entry?: number };

export function post<Reply>(db: SqlConnection, id: AccountId, entry: Entry<Reply>): Reply {
  const before = stateOf(db, id);
  const { after, reply } = apply(entry, before, id);
  if (after) writeState(db, before, after);
  return reply((after ?? before)?.account.balance ?? 0);
}

export function stateOf(db: SqlConnection, id: AccountId): AccountState | undefined {
  const found = account(db, id);
  return (
    found && {
      account: found,
      keys: readOnce(() => keysOf(db, id)),
      grants: readOnce(() => grants(db, id)),
      sessions: readOnce(() => sessionsOf(db, id)),
      noted: [],
      keyRate: windowOf(db, keyRateOf(id)) ?? null,
    }
  );
}

/** Writes what has changed of an account; `before`: undefined for a new one. */
export function writeState(
  db: SqlConnection,
  before: AccountState | undefined,
  after: AccountState,
): void {
  const { id } = after.account;
  if (before?.account !== after.account) writeAccount(db, after.account);
  const keys = difference(before?.keys, after.keys);
  for (const { hash } of keys.removed) db.run('DELETE FROM keys WHERE hash = ?', hash);
  for (const key of keys.added) {
    db.insert('keys', { ...key, account: id, disabled: Number(key.disabled) });
  }
  for (const grant of difference(before?.grants, after.grants).added) {
    db.insert('grants', { ...grant, account: id });
  }
  const sessions = difference(before?.sessions, after.sessions);
  for (const session of sessions.removed) {
    db.run('DELETE FROM sessions WHERE account = ? AND id = ?', id, session.id);
  }
  for (const session of sessions.added) {
    db.insert('sessions', { ...session, account: id });
    removeEnded(db, 'sessions', session.seenAtMs - SESSION_LIFE_MS);
  }
  writeAudit(db, id, after.noted);
  if (after.keyRate && after.keyRate !== before?.keyRate) {
    writeWindow(db, keyRateOf(id), after.keyRate);
    removeEnded(db, 'limits', after.keyRate.startMs);
  }
}

function writeAudit(db: SqlConnection, id: AccountId, noted: readonly AuditEntry[]): void {
  const sql = 'SELECT count(*) AS kept FROM audit WHERE account = ?';
  const { kept } = db.get<{ kept: number }>(sql, id)!;
  // The trail itself is read only where entries are evicted.
  const audit = kept + noted.length > AUDIT_KEPT ? auditOf(db, id) : [];
  const { removed, added } = difference<AuditRow>(
    () => audit,
    () => appended(audit, noted),
  );
  for (const { entry } of removed) db.run('DELETE FROM audit WHERE entry = ?', entry!);
  for (const { atMs, what, detail, by } of added) {
    db.insert('audit', { account: id, atMs, what, detail, by });
  }
}

function writeAccount(db: SqlConnection, account: Account): void {
  const { id, email, membership, disabled, balance, createdAtMs, closedAtMs, customer } = account;
  db.run(
    `INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET email = excluded.email, mailbox = excluded.mailbox,
       membership = excluded.membership, disabled = excluded.disabled, balance = excluded.balance,
       closedAtMs = excluded.closedAtMs, customer = excluded.customer`,
    id,
    email,
    email === null ? null : mailboxOf(email),
    membershipText(membership),
    Number(disabled),
    balance,
    createdAtMs,
    closedAtMs,
    customer,
  );
}

export const account: OnSqlite<'account'> = (db, id) => {
  const row = db.get<AccountRow>('SELECT * FROM accounts WHERE id = ?', id);
  return row && accountIn(row);
};

export function accountOfMailbox(db: SqlConnection, mailbox: string): Account | undefined {
  const row = db.get<AccountRow>('SELECT * FROM accounts WHERE mailbox = ?', mailbox);
  return row && accountIn(row);
}

function accountIn({ mailbox: _, membership, disabled, ...row }: AccountRow): Account {
  const held = membership === null ? null : JSON.parse(membership);
  return { ...row, membership: held, disabled: disabled !== 0 };
}

export function keysOf(db: SqlConnection, id: AccountId): HashedKey[] {
  const rows = db.all<KeyRow>('SELECT * FROM keys WHERE account = ?', id);
  return keysInOrder(
    rows.map(({ account: _, disabled, ...row }) => ({ ...row, disabled: disabled !== 0 })),
  );
}

export const grants: OnSqlite<'grants'> = (db, id) => {
  const sql = 'SELECT tokens, cause, atMs FROM grants WHERE account = ?';
  return grantsInOrder(db.all<Grant>(sql, id));
};

export function sessionsOf(db: SqlConnection, id: AccountId): StoredSession[] {
  return db.all(
    `SELECT id, secretHash, startedAtMs, client, address, seenAtMs FROM sessions
     WHERE account = ?`,
    id,
  );
}

/** The audit trail of an account, newest first. */
export const audit: OnSqlite<'audit'> = (db, id) =>
  auditOf(db, id)
    .map(({ entry: _, ...kept }) => kept)
    .reverse();

/** The audit trail of an account, oldest first. */
function auditOf(db: SqlConnection, id: AccountId): AuditRow[] {
  return db.all(
    'SELECT entry, atMs, what, detail, by FROM audit WHERE account = ? ORDER BY atMs, entry',
    id,
  );
}

function keyRateOf(id: AccountId): string {
  return `keys of ${id}`;
}

export function windowOf(db: SqlConnection, subject: string): WindowState | undefined {
  return db.get('SELECT startMs, used, endsAtMs FROM limits WHERE subject = ?', subject);
}

export function writeWindow(
  db: SqlConnection,
  subject: string,
  { startMs, used, endsAtMs }: WindowState,
): void {
  db.insert('limits', { subject, startMs, used, endsAtMs: endsAtMs! }, 'REPLACE');
}
