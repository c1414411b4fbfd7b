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
import { takeLimited } from './sign-ins.ts';
import type { SqlConnection } from './sql-connection.ts';

type HashedKey = ApiKey & { readonly hash: KeyHash };

/** A row of `keys`. */
interface KeyRow extends Omit<HashedKey, 'disabled'> {
  readonly account: AccountId;
  readonly disabled: number;
}

export function issueKey(db: SqlConnection, order: KeyOrder): KeyIssue {
  const { owner, label, by, atMs } = order;
  const known = 'id' in owner ? existing(db, owner.id) : ownerOf(db, owner.email);
  // All checks precede the first change.
  if (known) {
    if (known.closedAtMs !== null) return { created: false, reason: 'closed' };
    if (!hasRoom(db, known.id)) return { created: false, reason: 'too-many-keys' };
  }
  if (order.grant) requireGrant(order.grant);
  if (known && order.rate) {
    const { allowed, rate } = takeLimited(db, `keys of ${known.id}`, order.rate, atMs);
    if (!allowed) return { created: false, reason: 'rate-limited', rate };
  }

  const email = 'id' in owner ? null : owner.email;
  const { id } = known ?? openAccount(db, { email, grant: order.grant, by, atMs }).account;
  if (order.grant && known) grant(db, id, order.grant, by);
  if (order.member) setMembership(db, id, WITHOUT_END, { by, atMs });
  const { plainKey, hash, key } = newKey(label, atMs);
  const made: ApiKey = { ...key, lastUsedAtMs: null };
  insertKey(db, id, { ...made, hash });
  note(db, id, { what: 'key-created', detail: keyDetail(key), by, atMs });
  return { created: true, plainKey, key: made, account: existing(db, id) };
}

/** Keys of an account, oldest first. */
export function keys(db: SqlConnection, id: AccountId): ApiKey[] {
  return keysWithHashes(db, id).map(({ hash: _, ...key }) => key);
}

/** Keys of an account with their hashes, oldest first. */
export function keysWithHashes(db: SqlConnection, id: AccountId): HashedKey[] {
  const rows = db.all<KeyRow>('SELECT * FROM keys WHERE account = ?', id);
  return keysInOrder(rows.map(keyIn));
}

export function insertKey(db: SqlConnection, account: AccountId, key: HashedKey): void {
  const { hash, id, prefix, label, createdAtMs, lastUsedAtMs, disabled, revokedAtMs } = key;
  db.run(
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
export function noteUse(db: SqlConnection, hash: KeyHash, nowMs: number): void {
  db.run(
    'UPDATE keys SET lastUsedAtMs = max(coalesce(lastUsedAtMs, 0), ?) WHERE hash = ?',
    nowMs,
    hash,
  );
}

/** Revokes a key. Returns `false` if there is no key with this id. */
export function revokeKey(
  db: SqlConnection,
  id: AccountId,
  keyId: string,
  change: Change,
): boolean {
  const key = keyOf(db, id, keyId);
  if (key) revoke(db, id, key, change);
  removeLongRevoked(db, id);
  return key !== undefined;
}

export function revokeAllKeys(db: SqlConnection, id: AccountId, change: Change): void {
  for (const key of keysWithHashes(db, id)) revoke(db, id, key, change);
  removeLongRevoked(db, id);
}

/** Disables or enables a key. Returns `false` if there is no key with this id. */
export function setKeyDisabled(
  db: SqlConnection,
  id: AccountId,
  keyId: string,
  disabled: boolean,
  change: Change,
): boolean {
  const key = keyOf(db, id, keyId);
  if (!key) return false;
  if (key.disabled === disabled) return true;
  db.run('UPDATE keys SET disabled = ? WHERE hash = ?', Number(disabled), key.hash);
  const what = disabled ? 'key-disabled' : 'key-enabled';
  note(db, id, { what, detail: keyDetail(key), ...change });
  return true;
}

function revoke(db: SqlConnection, id: AccountId, key: HashedKey, change: Change): void {
  if (key.revokedAtMs !== null) return;
  db.run('UPDATE keys SET revokedAtMs = ? WHERE hash = ?', change.atMs, key.hash);
  note(db, id, { what: 'key-revoked', detail: keyDetail(key), ...change });
}

function removeLongRevoked(db: SqlConnection, id: AccountId): void {
  db.run(
    `DELETE FROM keys WHERE hash IN (
       SELECT hash FROM keys WHERE account = ? AND revokedAtMs IS NOT NULL
       ORDER BY revokedAtMs DESC LIMIT -1 OFFSET ?
     )`,
    id,
    MAX_REVOKED_KEPT,
  );
}

/**
 * Whether an account may have another key. A disabled key counts towards the limit, since it can be
 * enabled again.
 */
function hasRoom(db: SqlConnection, id: AccountId): boolean {
  const { active } = db.get<{ active: number }>(
    'SELECT count(*) AS active FROM keys WHERE account = ? AND revokedAtMs IS NULL',
    id,
  )!;
  return active < MAX_ACTIVE_KEYS;
}

function keyOf(db: SqlConnection, id: AccountId, keyId: string): HashedKey | undefined {
  const row = db.get<KeyRow>('SELECT * FROM keys WHERE account = ? AND id = ?', id, keyId);
  return row && keyIn(row);
}

function keyIn({ account: _, disabled, ...row }: KeyRow): HashedKey {
  return { ...row, disabled: disabled !== 0 };
}

function ownerOf(db: SqlConnection, email: string | null) {
  return email === null ? undefined : accountByEmail(db, email);
}
