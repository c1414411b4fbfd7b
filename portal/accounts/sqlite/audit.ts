import { type AccountId, AUDIT_KEPT, type AuditEntry } from '../accounts.ts';
import { surplusEntry } from '../in-order.ts';
import type { Books } from './books.ts';

/** Records a change of an account in the audit trail, within its transaction. */
export function note(books: Books, account: AccountId, entry: AuditEntry): void {
  const { atMs, what, detail, by } = entry;
  books.run(
    'INSERT INTO audit (account, atMs, what, detail, by) VALUES (?, ?, ?, ?, ?)',
    account,
    atMs,
    what,
    detail,
    by,
  );
  const { kept } = books.get<{ kept: number }>(
    'SELECT count(*) AS kept FROM audit WHERE account = ?',
    account,
  )!;
  if (kept <= AUDIT_KEPT) return;
  const entries = entriesOf(books, account);
  books.run('DELETE FROM audit WHERE entry = ?', entries[surplusEntry(entries)].entry);
}

/** The audit trail of an account, newest first. */
export function audit(books: Books, account: AccountId): AuditEntry[] {
  return entriesOf(books, account)
    .map(({ entry: _, ...kept }) => kept)
    .reverse();
}

/** Oldest first. */
function entriesOf(books: Books, account: AccountId): (AuditEntry & { entry: number })[] {
  return books.all(
    'SELECT entry, atMs, what, detail, by FROM audit WHERE account = ? ORDER BY atMs, entry',
    account,
  );
}
