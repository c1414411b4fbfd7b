import type { Account, AuditEntry } from './accounts.ts';
import { LedgerUnavailable } from './ledger.ts';

// Values that older ledgers did not store, and how they are derived.

/** When an account was closed whose record does not say so: the trail keeps what is rare. */
export function closedAt(
  { email }: Pick<Account, 'email'>,
  audit: readonly AuditEntry[],
): number | null {
  if (email !== null) return null;
  return audit.find(({ what }) => what === 'account-closed')?.atMs ?? null;
}

/** Error for a ledger that a newer program converted to a form unknown here. */
export function tooNew(place: string, form: number, known: number): LedgerUnavailable {
  return new LedgerUnavailable(
    `ledger ${place}: its records are of form ${form}, and this version knows up to ${known}; use the version that wrote it, or a newer one`,
  );
}
