import { randomUUID } from 'node:crypto';
import type { Account, AccountId } from '../accounts.ts';
import type { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';

export function createAccount(
  batch: LedgerBatch,
  { email, member = false }: { email: string | null; member?: boolean },
  nowMs: number,
): Account {
  const address = email === null ? null : normaliseEmail(email);
  if (address !== null && batch.books.emails.get(address) !== undefined) {
    throw new Error(`${address} has an account already`);
  }
  const id = randomUUID();
  // First, for an address may be too long to be kept.
  if (address !== null) batch.books.emails.put(address, id);
  const account = batch.create(id, {
    email: address,
    member,
    disabled: false,
    balance: 0,
    createdAtMs: nowMs,
  });
  return { id, ...account };
}

export function accountIdByEmail(books: Books, email: string): AccountId | undefined {
  return books.emails.get(normaliseEmail(email));
}

function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}
