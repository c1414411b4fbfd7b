import type { AccountId, Change } from '../accounts.ts';
import { isGrantDelayed } from '../delayed-grants.ts';
import { hashMailbox, mailboxOf } from '../mailbox.ts';
import { existing } from './accounts.ts';
import { note } from './audit.ts';
import { grants } from './balances.ts';
import { endDelay } from './delayed-grants.ts';
import { revokeAllKeys } from './keys.ts';
import { endAllSessions } from './sessions.ts';
import type { SqlConnection } from './sql-connection.ts';

export function closeAccount(db: SqlConnection, id: AccountId, change: Change): void {
  const { closedAtMs, email, disabled } = existing(db, id);
  if (closedAtMs !== null) return;
  const isOwed = isGrantDelayed(grants(db, id).map(({ cause }) => cause)) && !disabled;
  if (email !== null && !isOwed) {
    const sql = 'INSERT OR REPLACE INTO former_mailboxes VALUES (?, ?)';
    db.run(sql, hashMailbox(mailboxOf(email)), Number(disabled));
  }
  db.run(
    `UPDATE accounts SET email = NULL, mailbox = NULL, membership = NULL, closedAtMs = ?
     WHERE id = ?`,
    change.atMs,
    id,
  );
  revokeAllKeys(db, id, change);
  endAllSessions(db, id);
  endDelay(db, id);
  note(db, id, { what: 'account-closed', detail: '', ...change });
}
