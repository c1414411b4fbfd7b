import { randomUUID } from 'node:crypto';
import { apiKeyPrefix, hashApiKey, mintApiKey } from './api-key.ts';
import { type AccountId, type ApiKey, type KeyCreation, MAX_ACTIVE_KEYS } from './ledger.ts';
import type { LedgerBatch } from './lmdb-batch.ts';
import { type Books, entriesOf, type KeyRecord } from './lmdb-books.ts';

export function createKey(
  batch: LedgerBatch,
  id: AccountId,
  label: string,
  nowMs: number,
): KeyCreation {
  batch.account(id);
  const active = recordsOf(batch.books, id).filter((record) => !record.revoked);
  if (active.length >= MAX_ACTIVE_KEYS) return { created: false, reason: 'too-many-keys' };
  const plainKey = mintApiKey();
  const record: KeyRecord = {
    account: id,
    id: randomUUID(),
    prefix: apiKeyPrefix(plainKey),
    label,
    createdAtMs: nowMs,
    revoked: false,
  };
  batch.books.keys.put(hashApiKey(plainKey), record);
  batch.books.keysOfAccount.put([id, record.id], hashApiKey(plainKey));
  return { created: true, plainKey, key: publicKey(record) };
}

/** Oldest first, the revoked ones too. */
export function keysOf(books: Books, id: AccountId): ApiKey[] {
  return recordsOf(books, id)
    .map(publicKey)
    .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}

export function revokeKey({ books }: LedgerBatch, id: AccountId, keyId: string): boolean {
  const hash = books.keysOfAccount.get([id, keyId]);
  const record = hash && books.keys.get(hash);
  if (!hash || !record) return false;
  books.keys.put(hash, { ...record, revoked: true });
  return true;
}

function recordsOf(books: Books, id: AccountId): KeyRecord[] {
  return entriesOf(books.keysOfAccount, id).map(([, hash]) => books.keys.get(hash)!);
}

function publicKey({ id, prefix, label, createdAtMs, revoked }: KeyRecord): ApiKey {
  return { id, prefix, label, createdAtMs, revoked };
}
