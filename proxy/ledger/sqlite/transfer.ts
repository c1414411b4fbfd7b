import type { AccountId, AccountRecords, FormerMailbox } from '../accounts.ts';
import { importedDelay } from '../delayed-grants.ts';
import { mailboxOf } from '../mailbox.ts';
import { account, accountOfMailbox, insertAccount } from './accounts.ts';
import { audit, note } from './audit.ts';
import { grants, usage } from './balances.ts';
import { delayedGrant, delayGrant } from './delayed-grants.ts';
import { insertKey, keysWithHashes } from './keys.ts';
import type { SqlConnection } from './sql-connection.ts';

export function formerMailboxes(db: SqlConnection): FormerMailbox[] {
  const rows = db.all<{ hash: string; disabled: number }>('SELECT * FROM former_mailboxes');
  return rows.map(({ hash, disabled }) => ({ hash, disabled: disabled !== 0 }));
}

/** Imports mailboxes of closed accounts; existing records stay unchanged. */
export function importFormerMailboxes(
  db: SqlConnection,
  mailboxes: readonly FormerMailbox[],
): void {
  for (const mailbox of mailboxes) {
    const sql = 'INSERT INTO former_mailboxes VALUES (?, ?) ON CONFLICT DO NOTHING';
    db.run(sql, mailbox.hash, Number(mailbox.disabled));
  }
}

export function exportAccount(db: SqlConnection, id: AccountId): AccountRecords | undefined {
  return db.snapshot(() => {
    const found = account(db, id);
    return (
      found && {
        account: found,
        keys: keysWithHashes(db, id),
        grants: grants(db, id),
        usage: usage(db, id),
        audit: audit(db, id).reverse(),
        delayedGrant: delayedGrant(db, id) ?? null,
      }
    );
  });
}

export function importAccount(db: SqlConnection, taken: AccountRecords): boolean {
  const { id, email } = taken.account;
  const mailbox = email === null ? null : mailboxOf(email);
  if (account(db, id)) return false;
  if (mailbox !== null && accountOfMailbox(db, mailbox)) return false;
  insertAccount(db, mailbox, taken.account);
  for (const key of taken.keys) insertKey(db, id, key);
  for (const { cause, tokens, atMs } of taken.grants) {
    db.run('INSERT INTO grants VALUES (?, ?, ?, ?)', id, cause, tokens, atMs);
  }
  for (const { day, keyId, route, requests, tokens, lastAtMs } of taken.usage) {
    db.run(
      'INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?)',
      id,
      day,
      keyId,
      route,
      requests,
      tokens,
      lastAtMs,
    );
  }
  for (const entry of taken.audit) note(db, id, entry);
  const delay = importedDelay(taken);
  if (delay) delayGrant(db, id, delay);
  return true;
}
