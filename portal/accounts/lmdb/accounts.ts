import { randomUUID } from 'node:crypto';
import type {
  Account,
  AccountBooks,
  AccountId,
  AccountOrder,
  Change,
  FormerMailbox,
  Membership,
} from '../accounts.ts';
import { membershipDetail, STILL_DISABLED } from '../audit-details.ts';
import { requireGrant, signupGrant } from '../bookkeeping.ts';
import { hashMailbox, keptMailbox, mailboxOf } from '../mailbox.ts';
import { auditOf, note } from './audit.ts';
import { grant, grantsOf, usageOf } from './balances.ts';
import type { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';
import { keysOf, revokeAllKeys } from './keys.ts';
import { endAllSessions } from './sessions.ts';

export function openAccount(
  batch: LedgerBatch,
  { email, grant: first, signupGrant: signup, by, atMs }: AccountOrder,
): { account: Account; isNew: boolean } {
  const { books } = batch;
  const mailbox = email === null ? null : keptMailbox(email);
  const known = mailbox === null ? undefined : books.emails.get(mailbox);
  if (known !== undefined) return { account: { id: known, ...batch.account(known) }, isNew: false };
  const former = mailbox === null ? undefined : books.formerMailboxes.get(hashMailbox(mailbox));
  const due = former ? null : (signup ?? signupGrant(atMs));
  const given = first === undefined ? due : first;
  if (given) requireGrant(given);
  const id = randomUUID();
  if (mailbox !== null) books.emails.put(mailbox, id);
  batch.create(id, {
    email: email?.trim() ?? null,
    membership: null,
    disabled: former === 'disabled',
    balance: 0,
    createdAtMs: atMs,
    closedAtMs: null,
    customer: null,
  });
  note(batch, id, { what: 'account-opened', detail: '', by, atMs });
  if (former === 'disabled') {
    note(batch, id, { what: 'account-disabled', detail: STILL_DISABLED, by: 'operator', atMs });
  }
  if (given) grant(batch, id, given, by);
  return { account: { id, ...batch.account(id) }, isNew: true };
}

export function account(books: Books, id: AccountId): Account | undefined {
  const record = books.accounts.get(id);
  return record && { id, ...record };
}

export function accountIdByEmail(books: Books, email: string): AccountId | undefined {
  return books.emails.get(mailboxOf(email));
}

export function accountByEmail(books: Books, email: string): Account | undefined {
  const id = accountIdByEmail(books, email);
  return id === undefined ? undefined : account(books, id);
}

export function setDisabled(
  batch: LedgerBatch,
  id: AccountId,
  disabled: boolean,
  change: Change,
): void {
  const account = batch.account(id);
  if (account.disabled === disabled) return;
  account.disabled = disabled;
  const what = disabled ? 'account-disabled' : 'account-enabled';
  note(batch, id, { what, detail: '', ...change });
}

export function setMembership(
  batch: LedgerBatch,
  id: AccountId,
  membership: Membership | null,
  change: Change,
): void {
  const account = batch.account(id);
  if (JSON.stringify(account.membership) === JSON.stringify(membership)) return;
  account.membership = membership;
  note(batch, id, {
    ...{ what: 'membership-changed', detail: membershipDetail(membership) },
    ...change,
  });
}

export function setCustomer(batch: LedgerBatch, id: AccountId, customer: string): void {
  batch.account(id).customer = customer;
}

export function closeAccount(batch: LedgerBatch, id: AccountId, change: Change): void {
  const account = batch.account(id);
  if (account.closedAtMs !== null) return;
  if (account.email !== null) {
    const mailbox = mailboxOf(account.email);
    batch.books.emails.remove(mailbox);
    batch.books.formerMailboxes.put(hashMailbox(mailbox), account.disabled ? 'disabled' : true);
  }
  account.email = null;
  account.membership = null;
  account.closedAtMs = change.atMs;
  revokeAllKeys(batch, id, change);
  endAllSessions(batch, id);
  note(batch, id, { what: 'account-closed', detail: '', ...change });
}

export function formerMailboxes(books: Books): FormerMailbox[] {
  return Array.from(books.formerMailboxes.getRange({}), ({ key, value }) => ({
    ...{ hash: key, disabled: value === 'disabled' },
  }));
}

/** Those that are there already stay as they are. */
export function importFormerMailboxes(
  { books }: LedgerBatch,
  mailboxes: readonly FormerMailbox[],
): void {
  for (const { hash, disabled } of mailboxes) {
    if (books.formerMailboxes.doesExist(hash)) continue;
    books.formerMailboxes.put(hash, disabled ? 'disabled' : true);
  }
}

export function exportBooks(books: Books, id: AccountId): AccountBooks | undefined {
  const account = books.accounts.get(id);
  return (
    account && {
      account: { id, ...account },
      keys: keysOf(books, id),
      grants: grantsOf(books, id),
      usage: usageOf(books, id),
      audit: auditOf(books, id).reverse(),
    }
  );
}

export function importBooks(batch: LedgerBatch, taken: AccountBooks): boolean {
  const { books } = batch;
  const { id, ...account } = taken.account;
  const mailbox = account.email === null ? null : mailboxOf(account.email);
  if (books.accounts.doesExist(id) || (mailbox !== null && books.emails.doesExist(mailbox))) {
    return false;
  }
  if (mailbox !== null) books.emails.put(mailbox, id);
  batch.create(id, account);
  for (const { hash, lastUsedAtMs, ...key } of taken.keys) {
    books.keys.put(hash, { account: id, ...key });
    if (lastUsedAtMs !== null) books.lastUses.put(hash, lastUsedAtMs);
    books.keysOfAccount.put([id, key.id], hash);
  }
  for (const { cause, ...given } of taken.grants) books.grants.put([id, cause], given);
  for (const { day, keyId, route, ...used } of taken.usage) {
    books.usage.put([id, day, keyId, route], used);
  }
  for (const entry of taken.audit) note(batch, id, entry);
  return true;
}
