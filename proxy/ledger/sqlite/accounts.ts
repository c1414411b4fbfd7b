import { randomUUID } from 'node:crypto';
import type { AccountId, KeyHash } from '../accounts.ts';
import * as entries from '../entries.ts';
import { hashMailbox, mailboxOf, storableMailbox } from '../mailbox.ts';
import { accountOfMailbox, keysOf, post, stateOf } from './account-state.ts';
import { endDelay } from './delayed-grants.ts';
import type { OnSqlite, SqlConnection } from './sql-connection.ts';

export const openAccount: OnSqlite<'openAccount'> = (db, order) => {
  const { id, opening } = ownerOf(db, order.email);
  return post(db, id, entries.openAccount(order, opening));
};

export const issueKey: OnSqlite<'issueKey'> = (db, order) => {
  const { owner } = order;
  if ('id' in owner) return post(db, owner.id, entries.issueKey(order, null));
  const { id, opening } = ownerOf(db, owner.email);
  return post(db, id, entries.issueKey(order, opening));
};

/** The account of an address, or the id of a new one; always a new one without an address. */
function ownerOf(
  db: SqlConnection,
  email: string | null,
): { id: AccountId; opening: entries.Opening } {
  if (email === null) return { id: randomUUID(), opening: { due: true, disabled: false } };
  const mailbox = storableMailbox(email);
  const former = db.get<{ disabled: number }>(
    'SELECT disabled FROM former_mailboxes WHERE hash = ?',
    hashMailbox(mailbox),
  );
  const id = accountOfMailbox(db, mailbox)?.id ?? randomUUID();
  return { id, opening: { due: !former, disabled: former?.disabled === 1 } };
}

export const closeAccount: OnSqlite<'closeAccount'> = (db, id, change) => {
  const before = stateOf(db, id);
  post(db, id, entries.closeAccount(change));
  const left = before && entries.mailboxLeft(before);
  if (left) {
    const { hash, disabled } = left;
    db.insert('former_mailboxes', { hash, disabled: Number(disabled) }, 'REPLACE');
  }
  endDelay(db, id);
};

export const accountByEmail: OnSqlite<'accountByEmail'> = (db, email) =>
  accountOfMailbox(db, mailboxOf(email));

export function accountIds(db: SqlConnection): AccountId[] {
  return db.all<{ id: AccountId }>('SELECT id FROM accounts ORDER BY id').map(({ id }) => id);
}

export const keys: OnSqlite<'keys'> = (db, id) => keysOf(db, id).map(({ hash: _, ...key }) => key);

/** Records the use of a key, if it still exists and this is its latest use. */
export function noteUse(db: SqlConnection, hash: KeyHash, nowMs: number): void {
  db.run(
    'UPDATE keys SET lastUsedAtMs = max(coalesce(lastUsedAtMs, 0), ?) WHERE hash = ?',
    nowMs,
    hash,
  );
}
