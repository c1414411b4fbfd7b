import { randomUUID } from 'node:crypto';
import type { Account, AccountId, AccountOrder, Change, Membership } from '../accounts.ts';
import { membershipDetail, STILL_DISABLED } from '../audit-details.ts';
import { requireGrant, signupGrant } from '../bookkeeping.ts';
import { hashMailbox, mailboxOf, storableMailbox } from '../mailbox.ts';
import { note } from './audit.ts';
import { grant } from './balances.ts';
import type { SqlConnection } from './sql-connection.ts';

/** A row of `accounts`. */
interface AccountRow extends Omit<Account, 'membership' | 'disabled'> {
  readonly mailbox: string | null;
  readonly membership: string | null;
  readonly disabled: number;
}

export function openAccount(
  db: SqlConnection,
  { email, grant: first, signupGrant: signup, by, atMs }: AccountOrder,
): { account: Account; isNew: boolean } {
  const mailbox = email === null ? null : storableMailbox(email);
  const known = mailbox === null ? undefined : accountOfMailbox(db, mailbox);
  if (known) return { account: known, isNew: false };
  const former = mailbox === null ? undefined : formerMailbox(db, mailbox);
  const due = former ? null : (signup ?? signupGrant(atMs));
  const given = first === undefined ? due : first;
  if (given) requireGrant(given);
  const id = randomUUID();
  const disabled = former?.disabled ?? false;
  insertAccount(db, mailbox, {
    id,
    email: email?.trim() ?? null,
    membership: null,
    disabled,
    balance: 0,
    createdAtMs: atMs,
    closedAtMs: null,
    customer: null,
  });
  note(db, id, { what: 'account-opened', detail: '', by, atMs });
  if (disabled) {
    note(db, id, { what: 'account-disabled', detail: STILL_DISABLED, by: 'operator', atMs });
  }
  if (given) grant(db, id, given, by);
  return { account: existing(db, id), isNew: true };
}

export function account(db: SqlConnection, id: AccountId): Account | undefined {
  const row = db.get<AccountRow>('SELECT * FROM accounts WHERE id = ?', id);
  return row && accountIn(row);
}

/** The account with this id; throws if unknown. */
export function existing(db: SqlConnection, id: AccountId): Account {
  const found = account(db, id);
  if (!found) throw new Error(`no account ${id}`);
  return found;
}

export function accountByEmail(db: SqlConnection, email: string): Account | undefined {
  return accountOfMailbox(db, mailboxOf(email));
}

export function accountIds(db: SqlConnection): AccountId[] {
  return db.all<{ id: AccountId }>('SELECT id FROM accounts ORDER BY id').map(({ id }) => id);
}

export function setDisabled(
  db: SqlConnection,
  id: AccountId,
  disabled: boolean,
  change: Change,
): void {
  if (existing(db, id).disabled === disabled) return;
  db.run('UPDATE accounts SET disabled = ? WHERE id = ?', Number(disabled), id);
  const what = disabled ? 'account-disabled' : 'account-enabled';
  note(db, id, { what, detail: '', ...change });
}

export function setMembership(
  db: SqlConnection,
  id: AccountId,
  membership: Membership | null,
  change: Change,
): void {
  const [before, after] = [existing(db, id).membership, membership].map(membershipText);
  if (before === after) return;
  db.run('UPDATE accounts SET membership = ? WHERE id = ?', after, id);
  note(db, id, { what: 'membership-changed', detail: membershipDetail(membership), ...change });
}

export function setCustomer(db: SqlConnection, id: AccountId, customer: string): void {
  existing(db, id);
  db.run('UPDATE accounts SET customer = ? WHERE id = ?', customer, id);
}

export function insertAccount(db: SqlConnection, mailbox: string | null, account: Account): void {
  const { id, email, membership, disabled, balance, createdAtMs, closedAtMs, customer } = account;
  db.run(
    'INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    email,
    mailbox,
    membershipText(membership),
    Number(disabled),
    balance,
    createdAtMs,
    closedAtMs,
    customer,
  );
}

export function accountOfMailbox(db: SqlConnection, mailbox: string): Account | undefined {
  const row = db.get<AccountRow>('SELECT * FROM accounts WHERE mailbox = ?', mailbox);
  return row && accountIn(row);
}

function formerMailbox(db: SqlConnection, mailbox: string): { disabled: boolean } | undefined {
  const row = db.get<{ disabled: number }>(
    'SELECT disabled FROM former_mailboxes WHERE hash = ?',
    hashMailbox(mailbox),
  );
  return row && { disabled: row.disabled !== 0 };
}

function accountIn({ mailbox: _, membership, disabled, ...row }: AccountRow): Account {
  return { ...row, membership: membershipIn(membership), disabled: disabled !== 0 };
}

function membershipText(membership: Membership | null): string | null {
  return membership && JSON.stringify(membership);
}

export function membershipIn(text: string | null): Membership | null {
  return text === null ? null : JSON.parse(text);
}
