import type { AccountId, Change } from '../accounts.ts';
import { hashMailbox, mailboxOf } from '../mailbox.ts';
import { existing } from './accounts.ts';
import { note } from './audit.ts';
import type { Books } from './books.ts';
import { revokeAllKeys } from './keys.ts';
import { endAllSessions } from './sessions.ts';

export function closeAccount(books: Books, id: AccountId, change: Change): void {
  const { closedAtMs, email, disabled } = existing(books, id);
  if (closedAtMs !== null) return;
  if (email !== null) {
    const sql = 'INSERT OR REPLACE INTO former_mailboxes VALUES (?, ?)';
    books.run(sql, hashMailbox(mailboxOf(email)), Number(disabled));
  }
  books.run(
    `UPDATE accounts SET email = NULL, mailbox = NULL, membership = NULL, closedAtMs = ?
     WHERE id = ?`,
    change.atMs,
    id,
  );
  revokeAllKeys(books, id, change);
  endAllSessions(books, id);
  note(books, id, { what: 'account-closed', detail: '', ...change });
}
