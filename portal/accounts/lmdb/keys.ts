import { randomUUID } from 'node:crypto';
import { PLANS } from '../../plans.ts';
import {
  type AccountId,
  type ApiKey,
  type KeyCreation,
  type KeyIssue,
  type KeyOrder,
  MAX_ACTIVE_KEYS,
} from '../accounts.ts';
import { apiKeyPrefix, hashApiKey, mintApiKey } from '../api-key.ts';
import { accountIdByEmail, createAccount } from './accounts.ts';
import { grant, requireGrant } from './balances.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, entriesOf, type KeyRecord } from './books.ts';

export function createKey(
  batch: LedgerBatch,
  id: AccountId,
  label: string,
  nowMs: number,
): KeyCreation {
  batch.account(id);
  if (!hasRoom(batch.books, id)) return { created: false, reason: 'too-many-keys' };
  const plainKey = mintApiKey();
  const record: KeyRecord = {
    account: id,
    id: randomUUID(),
    prefix: apiKeyPrefix(plainKey),
    label,
    createdAtMs: nowMs,
    disabled: false,
    revoked: false,
  };
  batch.books.keys.put(hashApiKey(plainKey), record);
  batch.books.keysOfAccount.put([id, record.id], hashApiKey(plainKey));
  return { created: true, plainKey, key: publicKey(record) };
}

export function issueKey(batch: LedgerBatch, order: KeyOrder): KeyIssue {
  const { owner, label, atMs } = order;
  const known = 'id' in owner ? owner.id : ownerOf(batch.books, owner.email);
  // Whatever can be wrong is found out before anything is changed.
  if (known !== undefined) {
    batch.account(known);
    if (!hasRoom(batch.books, known)) return { created: false, reason: 'too-many-keys' };
  }
  const signup = { tokens: PLANS.free_grant.tokens, cause: 'signup', atMs };
  const { grant: given = known === undefined ? signup : null } = order;
  if (given) requireGrant(given);

  const email = 'id' in owner ? null : owner.email;
  const id = known ?? createAccount(batch, { email }, atMs).id;
  if (given) grant(batch, id, given);
  if (order.member) batch.account(id).member = true;
  const made = createKey(batch, id, label, atMs);
  return made.created ? { ...made, account: { id, ...batch.account(id) } } : made;
}

/** Oldest first, the revoked ones too. */
export function keysOf(books: Books, id: AccountId): ApiKey[] {
  return recordsOf(books, id)
    .map(publicKey)
    .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}

/** Changes what may be done with a key; `false` if there is none with this id. */
export function changeKey(
  { books }: LedgerBatch,
  id: AccountId,
  keyId: string,
  change: Partial<Pick<KeyRecord, 'disabled' | 'revoked'>>,
): boolean {
  const hash = books.keysOfAccount.get([id, keyId]);
  const record = hash && books.keys.get(hash);
  if (!hash || !record) return false;
  books.keys.put(hash, { ...record, ...change });
  return true;
}

function ownerOf(books: Books, email: string | null): AccountId | undefined {
  return email === null ? undefined : accountIdByEmail(books, email);
}

/** A disabled key takes up its place: it can be enabled again. */
function hasRoom(books: Books, id: AccountId): boolean {
  return recordsOf(books, id).filter((record) => !record.revoked).length < MAX_ACTIVE_KEYS;
}

function recordsOf(books: Books, id: AccountId): KeyRecord[] {
  return entriesOf(books.keysOfAccount, id).map(([, hash]) => books.keys.get(hash)!);
}

function publicKey({ id, prefix, label, createdAtMs, disabled, revoked }: KeyRecord): ApiKey {
  return { id, prefix, label, createdAtMs, disabled, revoked };
}
