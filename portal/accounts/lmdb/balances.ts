import type { AccountId, Actor, Grant, UsageDay } from '../accounts.ts';
import { grantDetail } from '../audit-details.ts';
import { dayOf, noDebit, requireGrant, requireRefund, requireTokens } from '../bookkeeping.ts';
import { grantsInOrder, usageInOrder } from '../in-order.ts';
import type { Charge, Debit } from '../metering.ts';
import { note } from './audit.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, entriesOf, type UsageRecord } from './books.ts';

// Each checks all that can be wrong before it changes anything: what a batch has been given cannot
// be taken back from it alone.

export function debit(batch: LedgerBatch, charge: Charge): Debit {
  requireTokens(charge.tokens);
  const account = batch.account(charge.account);
  if (account.balance < charge.tokens) {
    return { outcome: 'insufficient', balance: account.balance };
  }
  const usage = usageFor(batch, charge);
  account.balance -= charge.tokens;
  usage.requests++;
  usage.tokens += charge.tokens;
  usage.lastAtMs = Math.max(usage.lastAtMs, charge.atMs);
  return { outcome: 'debited', balance: account.balance };
}

export function refund(batch: LedgerBatch, charge: Charge, tokens = charge.tokens): void {
  requireRefund(charge, tokens);
  const account = batch.account(charge.account);
  const usage = usageFor(batch, charge);
  if (usage.requests < 1 || usage.tokens < charge.tokens) throw noDebit(charge);
  account.balance += tokens;
  usage.tokens -= tokens;
  if (tokens === charge.tokens) usage.requests--;
}

/** Takes back what `refund` repaid of a debit; its request was still counted. */
export function chargeAgain(batch: LedgerBatch, charge: Charge, tokens: number): Debit {
  requireTokens(tokens);
  const account = batch.account(charge.account);
  if (account.balance < tokens) return { outcome: 'insufficient', balance: account.balance };
  if (tokens === 0) return { outcome: 'debited', balance: account.balance };
  account.balance -= tokens;
  usageFor(batch, charge).tokens += tokens;
  return { outcome: 'debited', balance: account.balance };
}

export function grant(
  batch: LedgerBatch,
  id: AccountId,
  given: Grant,
  by: Actor,
): { granted: boolean; balance: number } {
  requireGrant(given);
  const { tokens, cause, atMs } = given;
  const account = batch.account(id);
  if (isBooked(batch.books, id, cause)) return { granted: false, balance: account.balance };
  batch.books.grants.put([id, cause], { tokens, atMs });
  account.balance += tokens;
  note(batch, id, { what: 'tokens-granted', detail: grantDetail(given), by, atMs });
  return { granted: true, balance: account.balance };
}

/** Books a grant of less than nothing: as many tokens as there are left of those to take. */
export function takeBack(
  batch: LedgerBatch,
  id: AccountId,
  given: Grant,
  by: Actor,
): { taken: number; balance: number } {
  requireGrant(given);
  const { cause, atMs } = given;
  const account = batch.account(id);
  if (isBooked(batch.books, id, cause)) return { taken: 0, balance: account.balance };
  const taken = Math.min(given.tokens, account.balance);
  batch.books.grants.put([id, cause], { tokens: 0 - taken, atMs });
  account.balance -= taken;
  const detail = `${taken} of ${given.tokens}, ${cause}`;
  note(batch, id, { what: 'tokens-taken-back', detail, by, atMs });
  return { taken, balance: account.balance };
}

function isBooked(books: Books, id: AccountId, cause: string): boolean {
  return books.grants.doesExist([id, cause]);
}

/** Oldest first. */
export function usageOf(
  books: Books,
  id: AccountId,
  { from = '', to = '\u{10ffff}' }: { from?: string; to?: string } = {},
): UsageDay[] {
  const range = books.usage.getRange({ start: [id, from], end: [id, to, '\u{10ffff}'] });
  const usage = Array.from(range, ({ key: [, day, keyId, route], value }) => {
    return { day, keyId, route, ...value };
  });
  return usageInOrder(usage);
}

function usageFor(batch: LedgerBatch, { account, atMs, keyId, route }: Charge): UsageRecord {
  return batch.usage(account, dayOf(atMs), keyId, route);
}

/** Oldest first. */
export function grantsOf(books: Books, id: AccountId): Grant[] {
  return grantsInOrder(
    entriesOf(books.grants, id).map(([[, cause], record]) => ({ cause, ...record })),
  );
}
