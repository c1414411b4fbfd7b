import { type AccountId, AUDIT_KEPT, type AuditEntry } from '../accounts.ts';
import { surplusEntry } from '../in-order.ts';
import type { SqlConnection } from './sql-connection.ts';

/** Records a change of an account in the audit trail, within its transaction. */
export function note(db: SqlConnection, account: AccountId, entry: AuditEntry): void {
  const { atMs, what, detail, by } = entry;
  db.run(
    'INSERT INTO audit (account, atMs, what, detail, by) VALUES (?, ?, ?, ?, ?)',
    account,
    atMs,
    what,
    detail,
    by,
  );
  const { kept } = db.get<{ kept: number }>(
    'SELECT count(*) AS kept FROM audit WHERE account = ?',
    account,
  )!;
  if (kept <= AUDIT_KEPT) return;
  const entries = entriesOf(db, account);
  db.run('DELETE FROM audit WHERE entry = ?', entries[surplusEntry(entries)].entry);
}

/** The audit trail of an account, newest first. */
export function audit(db: SqlConnection, account: AccountId): AuditEntry[] {
  return entriesOf(db, account)
    .map(({ entry: _, ...kept }) => kept)
    .reverse();
}

/** Audit entries of an account with their row numbers, oldest first. */
function entriesOf(db: SqlConnection, account: AccountId): (AuditEntry & { entry: number })[] {
  return db.all(
    'SELECT entry, atMs, what, detail, by FROM audit WHERE account = ? ORDER BY atMs, entry',
    account,
  );
}
