import { MAX_ACTIVE_KEYS } from '../../key-limits.ts';
import { type AccountId, type ApiKey, type Change, MAX_REVOKED_KEPT } from '../accounts.ts';
import { keyDetail } from '../audit-details.ts';
import { keysInOrder } from '../in-order.ts';
import type { KeyHash } from '../key-hash.ts';
import { newKey } from '../new-key.ts';
import { note } from './audit.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, entriesOf, type KeyRecord } from './books.ts';

/**
 * Makes a key for an account that has room for it. The plain key is in what it returns and nowhere
 * else.
 */
export function createKey(
  batch: LedgerBatch,
  id: AccountId,
  label: string,
  change: Change,
): { plainKey: string; key: ApiKey } {
  const { plainKey, hash, key } = newKey(label, change.atMs);
  batch.books.keys.put(hash, { account: id, ...key });
  batch.books.keysOfAccount.put([id, key.id], hash);
  note(batch, id, { what: 'key-created', detail: keyDetail(key), ...change });
  return { plainKey, key: { ...key, lastUsedAtMs: null } };
}

/** Oldest first, with their hashes. */
export function keysOf(books: Books, id: AccountId): (ApiKey & { hash: KeyHash })[] {
  return keysInOrder(
    keyRecordsOf(books, id).map(([hash, { account: _, ...key }]) => {
      return { ...key, hash, lastUsedAtMs: books.lastUses.get(hash) ?? null };
    }),
  );
}

/** Writes down that a key was used, if it is still there. */
export function noteUse({ books }: LedgerBatch, hash: KeyHash, nowMs: number): void {
  if (!books.keys.doesExist(hash) || nowMs <= (books.lastUses.get(hash) ?? 0)) return;
  books.lastUses.put(hash, nowMs);
}

/** `false` if there is no key with this id. */
export function revokeKey(
  batch: LedgerBatch,
  id: AccountId,
  keyId: string,
  change: Change,
): boolean {
  const isKnown = changeKey(batch, id, keyId, (key) => revoked(batch, key, change));
  removeLongRevoked(batch.books, id);
  return isKnown;
}

function revoked(batch: LedgerBatch, key: KeyRecord, change: Change): KeyRecord {
  if (key.revokedAtMs !== null) return key;
  note(batch, key.account, { what: 'key-revoked', detail: keyDetail(key), ...change });
  return { ...key, revokedAtMs: change.atMs };
}

function removeLongRevoked(books: Books, id: AccountId): void {
  const revoked = keyRecordsOf(books, id).filter(([, key]) => key.revokedAtMs !== null);
  revoked.sort(([, a], [, b]) => b.revokedAtMs! - a.revokedAtMs!);
  for (const [hash, key] of revoked.slice(MAX_REVOKED_KEPT)) {
    books.keys.remove(hash);
    books.lastUses.remove(hash);
    books.keysOfAccount.remove([id, key.id]);
  }
}

export function revokeAllKeys(batch: LedgerBatch, id: AccountId, change: Change): void {
  for (const [hash, key] of keyRecordsOf(batch.books, id)) {
    if (key.revokedAtMs === null) batch.books.keys.put(hash, revoked(batch, key, change));
  }
  removeLongRevoked(batch.books, id);
}

/** `false` if there is no key with this id. */
export function setKeyDisabled(
  batch: LedgerBatch,
  id: AccountId,
  keyId: string,
  disabled: boolean,
  change: Change,
): boolean {
  return changeKey(batch, id, keyId, (key) => {
    if (key.disabled === disabled) return key;
    const what = disabled ? 'key-disabled' : 'key-enabled';
    note(batch, id, { what, detail: keyDetail(key), ...change });
    return { ...key, disabled };
  });
}

function keyRecordsOf(books: Books, id: AccountId): [KeyHash, KeyRecord][] {
  return entriesOf(books.keysOfAccount, id).map(([, hash]) => [hash, books.keys.get(hash)!]);
}

function changeKey(
  { books }: LedgerBatch,
  id: AccountId,
  keyId: string,
  change: (key: KeyRecord) => KeyRecord,
): boolean {
  const hash = books.keysOfAccount.get([id, keyId]);
  const record = hash && books.keys.get(hash);
  if (!hash || !record) return false;
  const changed = change(record);
  if (changed !== record) books.keys.put(hash, changed);
  return true;
}

/** A disabled key takes up its place: it can be enabled again. */
export function hasRoom(books: Books, id: AccountId): boolean {
  const active = keyRecordsOf(books, id).filter(([, key]) => key.revokedAtMs === null);
  return active.length < MAX_ACTIVE_KEYS;
}
