import { type AccountId, AUDIT_KEPT, type AuditEntry } from '../accounts.ts';
import { surplusEntry } from '../in-order.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, entriesOf } from './books.ts';

/** Notes what was done with an account, in the transaction that does it. */
export function note({ books: { audit } }: LedgerBatch, id: AccountId, entry: AuditEntry): void {
  let which = 0;
  while (audit.doesExist([id, entry.atMs, which])) which++;
  audit.put([id, entry.atMs, which], entry);
  if (audit.getKeysCount({ start: [id, 0, 0], end: [id, Number.MAX_VALUE, 0] }) <= AUDIT_KEPT)
    return;
  const entries = entriesOf(audit, id);
  const [key] = entries[surplusEntry(entries.map(([, kept]) => kept))];
  audit.remove(key);
}

/** Newest first. */
export function auditOf(books: Books, id: AccountId): AuditEntry[] {
  return entriesOf(books.audit, id)
    .map(([, entry]) => entry)
    .reverse();
}
