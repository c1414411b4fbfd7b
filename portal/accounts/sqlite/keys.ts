import { MAX_ACTIVE_KEYS } from '../../key-limits.ts';
import {
  type AccountId,
  type ApiKey,
  type Change,
  type KeyIssue,
  type KeyOrder,
  MAX_REVOKED_KEPT,
  WITHOUT_END,
} from '../accounts.ts';
import { keyDetail } from '../audit-details.ts';
import { requireGrant } from '../bookkeeping.ts';
import { keysInOrder } from '../in-order.ts';
import type { KeyHash } from '../key-hash.ts';
import { newKey } from '../new-key.ts';
import { accountByEmail, existing, openAccount, setMembership } from './accounts.ts';
import { note } from './audit.ts';
import { grant } from './balances.ts';
import type { Books } from './books.ts';
import { takeLimited } from './sign-ins.ts';

export type HashedKey = ApiKey & { readonly hash: KeyHash };

/** A row of `keys`. */
interface KeyRow extends Omit<HashedKey, 'disabled'> {
  readonly account: AccountId;
  readonly disabled: number;
}

export function issueKey(books: Books, order: KeyOrder): KeyIssue {
  const { owner, label, by, atMs } = order;
  const known = 'id' in owner ? existing(books, owner.id) : ownerOf(books, owner.email);
  // All checks precede the first change.
  if (known) {
    if (known.closedAtMs !== null) return { created: false, reason: 'closed' };
    if (!hasRoom(books, known.id)) return { created: false, reason: 'too-many-keys' };
  }
  if (order.grant) requireGrant(order.grant);
  if (known && order.rate) {
    const { allowed, rate } = takeLimited(books, `keys of ${known.id}`, order.rate, atMs);
    if (!allowed) return { created: false, reason: 'rate-limited', rate };
  }

  const email = 'id' in owner ? null : owner.email;
  const { id } = known ?? openAccount(books, { email, grant: order.grant, by, atMs }).account;
  if (order.grant && known) grant(books, id, order.grant, by);
  if (order.member) setMembership(books, id, WITHOUT_END, { by, atMs });
  const { plainKey, hash, key } = newKey(label, atMs);
  const made: ApiKey = { ...key, lastUsedAtMs: null };
  insertKey(books, id, { ...made, hash });
  note(books, id, { what: 'key-created', detail: keyDetail(key), by, atMs });
  return { created: true, plainKey, key: made, account: existing(books, id) };
}

/** Oldest first. */
export function keys(books: Books, id: AccountId): ApiKey[] {
  return keysWithHashes(books, id).map(({ hash: _, ...key }) => key);
}

/** Oldest first. */
export function keysWithHashes(books: Books, id: AccountId): HashedKey[] {
  const rows = books.all<KeyRow>('SELECT * FROM keys WHERE account = ?', id);
  return keysInOrder(rows.map(keyIn));
}

export function insertKey(books: Books, account: AccountId, key: HashedKey): void {
  const { hash, id, prefix, label, createdAtMs, lastUsedAtMs, disabled, revokedAtMs } = key;
  books.run(
    'INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    hash,
    account,
    id,
    prefix,
    label,
    createdAtMs,
    lastUsedAtMs,
    Number(disabled),
    revokedAtMs,
  );
}

/** Records the use of a key, if it still exists and this is its latest use. */
export function noteUse(books: Books, hash: KeyHash, nowMs: number): void {
  books.run(
    'UPDATE keys SET lastUsedAtMs = max(coalesce(lastUsedAtMs, 0), ?) WHERE hash = ?',
    nowMs,
    hash,
  );
}

/** Returns `false` if there is no key with this id. */
export function revokeKey(books: Books, id: AccountId, keyId: string, change: Change): boolean {
  const key = keyOf(books, id, keyId);
  if (key) revoke(books, id, key, change);
  removeLongRevoked(books, id);
  return key !== undefined;
}

export function revokeAllKeys(books: Books, id: AccountId, change: Change): void {
  for (const key of keysWithHashes(books, id)) revoke(books, id, key, change);
  removeLongRevoked(books, id);
}

/** Returns `false` if there is no key with this id. */
export function setKeyDisabled(
  books: Books,
  id: AccountId,
  keyId: string,
  disabled: boolean,
  change: Change,
): boolean {
  const key = keyOf(books, id, keyId);
  if (!key) return false;
  if (key.disabled === disabled) return true;
  books.run('UPDATE keys SET disabled = ? WHERE hash = ?', Number(disabled), key.hash);
  const what = disabled ? 'key-disabled' : 'key-enabled';
  note(books, id, { what, detail: keyDetail(key), ...change });
  return true;
}

function revoke(books: Books, id: AccountId, key: HashedKey, change: Change): void {
  if (key.revokedAtMs !== null) return;
  books.run('UPDATE keys SET revokedAtMs = ? WHERE hash = ?', change.atMs, key.hash);
  note(books, id, { what: 'key-revoked', detail: keyDetail(key), ...change });
}

function removeLongRevoked(books: Books, id: AccountId): void {
  books.run(
    `DELETE FROM keys WHERE hash IN (
       SELECT hash FROM keys WHERE account = ? AND revokedAtMs IS NOT NULL
       ORDER BY revokedAtMs DESC LIMIT -1 OFFSET ?
     )`,
    id,
    MAX_REVOKED_KEPT,
  );
}

/** A disabled key counts towards the limit: it can be enabled again. */
function hasRoom(books: Books, id: AccountId): boolean {
  const { active } = books.get<{ active: number }>(
    'SELECT count(*) AS active FROM keys WHERE account = ? AND revokedAtMs IS NULL',
    id,
  )!;
  return active < MAX_ACTIVE_KEYS;
}

function keyOf(books: Books, id: AccountId, keyId: string): HashedKey | undefined {
  const row = books.get<KeyRow>('SELECT * FROM keys WHERE account = ? AND id = ?', id, keyId);
  return row && keyIn(row);
}

function keyIn({ account: _, disabled, ...row }: KeyRow): HashedKey {
  return { ...row, disabled: disabled !== 0 };
}

function ownerOf(books: Books, email: string | null) {
  return email === null ? undefined : accountByEmail(books, email);
}
