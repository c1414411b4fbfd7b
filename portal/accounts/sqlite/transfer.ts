import type { AccountBooks, AccountId, FormerMailbox } from '../accounts.ts';
import { mailboxOf } from '../mailbox.ts';
import { account, accountOfMailbox, insertAccount } from './accounts.ts';
import { audit, note } from './audit.ts';
import { grants, usage } from './balances.ts';
import type { Books } from './books.ts';
import { insertKey, keysWithHashes } from './keys.ts';

export function formerMailboxes(books: Books): FormerMailbox[] {
  const rows = books.all<{ hash: string; disabled: number }>('SELECT * FROM former_mailboxes');
  return rows.map(({ hash, disabled }) => ({ hash, disabled: disabled !== 0 }));
}

/** Existing mailboxes stay unchanged. */
export function importFormerMailboxes(books: Books, mailboxes: readonly FormerMailbox[]): void {
  for (const mailbox of mailboxes) {
    const sql = 'INSERT INTO former_mailboxes VALUES (?, ?) ON CONFLICT DO NOTHING';
    books.run(sql, mailbox.hash, Number(mailbox.disabled));
  }
}

export function exportBooks(books: Books, id: AccountId): AccountBooks | undefined {
  return books.snapshot(() => {
    const found = account(books, id);
    return (
      found && {
        account: found,
        keys: keysWithHashes(books, id),
        grants: grants(books, id),
        usage: usage(books, id),
        audit: audit(books, id).reverse(),
      }
    );
  });
}

export function importBooks(books: Books, taken: AccountBooks): boolean {
  const { id, email } = taken.account;
  const mailbox = email === null ? null : mailboxOf(email);
  if (account(books, id)) return false;
  if (mailbox !== null && accountOfMailbox(books, mailbox)) return false;
  insertAccount(books, mailbox, taken.account);
  for (const key of taken.keys) insertKey(books, id, key);
  for (const { cause, tokens, atMs } of taken.grants) {
    books.run('INSERT INTO grants VALUES (?, ?, ?, ?)', id, cause, tokens, atMs);
  }
  for (const { day, keyId, route, requests, tokens, lastAtMs } of taken.usage) {
    books.run(
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
  for (const entry of taken.audit) note(books, id, entry);
  return true;
}
