import type { Database } from 'lmdb';
import { type AccountId, WITHOUT_END } from '../accounts.ts';
import type { KeyHash } from '../key-hash.ts';
import { mailboxOf } from '../mailbox.ts';
import type { Charge } from '../metering.ts';
import { closedAt, tooNew } from '../upgrade.ts';
import { auditOf } from './audit.ts';
import type { AccountRecord, Books, KeyRecord, ReceiptRecord, UsageRecord } from './books.ts';

/** How records are written now; a ledger without a mark has the first form, or nothing. */
const FORM = 4;
const MARK = 'form';

/** The route of what was used before usage was counted by route. */
const EARLIER_ROUTE = 'earlier';

/**
 * Brings a ledger whose records have an earlier form to the present one. Inside a transaction: all
 * of it or nothing; of processes that open it at once, one does.
 */
export function upgrade(
  books: Books,
  { directory, nowMs }: { readonly directory: string; readonly nowMs: number },
): void {
  if (isPresent(books, directory)) return;
  upgradeAccounts(books);
  upgradeKeys(books, nowMs);
  upgradeUsage(books);
  upgradeReceipts(books);
  upgradeLastUses(books);
  upgradeClosed(books);
  upgradeEvents(books);
  books.about.put(MARK, FORM);
}

/** A newer program's records are not ours to read: a `LedgerUnavailable`. */
function isPresent({ about }: Books, directory: string): boolean {
  const form = about.get(MARK) ?? 1;
  if (form > FORM) throw tooNew(directory, form, FORM);
  return form === FORM;
}

/** `member` became a membership, which the first form gave without an end; addresses, mailboxes. */
function upgradeAccounts({ accounts, emails }: Books): void {
  const entries = entriesIn<AccountRecord | FirstAccount, string>(accounts);
  // Where two addresses turn out to be one mailbox, it is the older account's.
  entries.sort(([, a], [, b]) => a.createdAtMs - b.createdAtMs);
  for (const [id, record] of entries) {
    if (!('member' in record)) continue;
    const { member, ...kept } = record;
    const membership = member ? WITHOUT_END : null;
    accounts.put(id, { ...kept, membership, closedAtMs: null, customer: null });
    if (record.email === null) continue;
    const mailbox = mailboxOf(record.email);
    if (!emails.doesExist(mailbox)) emails.put(mailbox, id);
  }
}

/** When a key was revoked was not kept: some time before now. */
function upgradeKeys({ keys }: Books, nowMs: number): void {
  for (const [hash, record] of entriesIn<KeyRecord | FirstKey, KeyHash>(keys)) {
    if (!('revoked' in record)) continue;
    const { revoked, ...kept } = record;
    keys.put(hash, { ...kept, revokedAtMs: revoked ? nowMs : null });
  }
}

/** [account, day, key id] got the route as its fourth, and the record when it was last added to. */
function upgradeUsage({ usage }: Books): void {
  for (const [key, record] of entriesIn<UsageRecord | FirstUsage, string[]>(usage)) {
    if ('lastAtMs' in record) continue;
    const [, day] = key;
    usage.remove(key);
    usage.put([...key, EARLIER_ROUTE], { ...record, lastAtMs: Date.parse(day) });
  }
}

/** Refunds are looked up under their route. */
function upgradeReceipts({ receipts }: Books): void {
  type Receipts = [[number, ...string[]], Omit<ReceiptRecord, 'charge'> & { charge: FirstCharge }];
  const entries: Receipts[] = entriesIn(receipts);
  for (const [place, { charge, ...kept }] of entries) {
    receipts.put(place, { ...kept, charge: { route: EARLIER_ROUTE, ...charge } });
  }
}

/** When a key was last used was told by what it was charged. */
function upgradeLastUses({ usage, keysOfAccount, lastUses }: Books): void {
  for (const [[account, , keyId], { lastAtMs }] of entriesIn<UsageRecord, string[]>(usage)) {
    const hash = keysOfAccount.get([account, keyId]);
    if (hash && lastAtMs > (lastUses.get(hash) ?? 0)) lastUses.put(hash, lastAtMs);
  }
}

/** That an account was closed was told by its audit trail alone. */
function upgradeClosed(books: Books): void {
  type Record = Omit<AccountRecord, 'closedAtMs'> & Partial<AccountRecord>;
  for (const [id, record] of entriesIn<Record, string>(books.accounts)) {
    if (record.closedAtMs !== undefined) continue;
    const closedAtMs = closedAt(record, auditOf(books, id));
    books.accounts.put(id, { ...record, closedAtMs });
  }
}

/** An event that was open had an end that never comes, and an entry that told so. */
function upgradeEvents({ events, ends }: Books): void {
  for (const end of Array.from(ends.getKeys({ start: [EARLIER_NEVER] }))) {
    ends.remove(end);
    const [, , id] = end;
    const event = events.get(id);
    if (event?.endsAtMs === EARLIER_NEVER) events.put(id, { ...event, endsAtMs: null });
  }
}
const EARLIER_NEVER = Number.MAX_SAFE_INTEGER;

/** All of a table at once: it is written to while its records are gone through. */
function entriesIn<Value, Key extends string | (string | number)[]>(
  table: Pick<Database<Value, Key>, 'getRange'>,
): [Key, Value][] {
  return Array.from(table.getRange({}), ({ key, value }) => [key, value]);
}

interface FirstAccount extends Omit<AccountRecord, 'membership' | 'closedAtMs' | 'customer'> {
  readonly member: boolean;
}

interface FirstKey extends Omit<KeyRecord, 'revokedAtMs'> {
  readonly account: AccountId;
  readonly revoked: boolean;
}

type FirstUsage = Omit<UsageRecord, 'lastAtMs'>;
type FirstCharge = Omit<Charge, 'route'> & Partial<Pick<Charge, 'route'>>;
