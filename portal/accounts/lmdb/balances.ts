import { type AccountId, type Grant, MAX_CAUSE_BYTES, type UsageDay } from '../accounts.ts';
import type { Charge, Debit } from '../metering.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, entriesOf } from './books.ts';

// Each checks all that can be wrong before it changes anything: what a batch has been given cannot
// be taken back from it alone.

export function debit(batch: LedgerBatch, charge: Charge): Debit {
  requireTokens(charge.tokens);
  const account = batch.account(charge.account);
  if (account.balance < charge.tokens) {
    return { outcome: 'insufficient', balance: account.balance };
  }
  const usage = batch.usage(charge.account, dayOf(charge.atMs), charge.keyId);
  account.balance -= charge.tokens;
  usage.requests++;
  usage.tokens += charge.tokens;
  return { outcome: 'debited', balance: account.balance };
}

export function refund(batch: LedgerBatch, charge: Charge, tokens = charge.tokens): void {
  requireTokens(charge.tokens);
  requireTokens(tokens);
  if (tokens > charge.tokens) throw new RangeError(`${tokens} tokens are more than were charged`);
  const account = batch.account(charge.account);
  const usage = batch.usage(charge.account, dayOf(charge.atMs), charge.keyId);
  if (usage.requests < 1 || usage.tokens < charge.tokens) {
    throw new Error(`no debit of ${charge.tokens} tokens to refund to ${charge.account}`);
  }
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
  batch.usage(charge.account, dayOf(charge.atMs), charge.keyId).tokens += tokens;
  return { outcome: 'debited', balance: account.balance };
}

export function grant(
  batch: LedgerBatch,
  id: AccountId,
  given: Grant,
): { granted: boolean; balance: number } {
  requireGrant(given);
  const { tokens, cause, atMs } = given;
  const account = batch.account(id);
  if (batch.books.grants.get([id, cause]) !== undefined) {
    return { granted: false, balance: account.balance };
  }
  batch.books.grants.put([id, cause], { tokens, atMs });
  account.balance += tokens;
  return { granted: true, balance: account.balance };
}

/** Oldest first. */
export function usageOf(books: Books, id: AccountId): UsageDay[] {
  return entriesOf(books.usage, id)
    .map(([[, day, keyId], record]) => ({ day, keyId, ...record }))
    .filter((usage) => usage.requests > 0);
}

/** Oldest first. */
export function grantsOf(books: Books, id: AccountId): Grant[] {
  return entriesOf(books.grants, id)
    .map(([[, cause], record]) => ({ cause, ...record }))
    .sort((a, b) => a.atMs - b.atMs || (a.cause < b.cause ? -1 : 1));
}

export function requireGrant({ tokens, cause }: Grant): void {
  requireTokens(tokens);
  if (cause === '' || Buffer.byteLength(cause) > MAX_CAUSE_BYTES) {
    throw new RangeError(`the cause of a grant has 1 to ${MAX_CAUSE_BYTES} bytes`);
  }
}

/** One charge that is no number would leave an account without a balance. */
function requireTokens(tokens: number): void {
  if (!Number.isSafeInteger(tokens) || tokens < 0) {
    throw new RangeError(`tokens are a whole number from 0, not ${tokens}`);
  }
}

/** The UTC day of a moment. Requests come in order, so the last answer mostly serves again. */
function dayOf(atMs: number): string {
  const number = Math.floor(atMs / 86_400_000);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(atMs).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}
let lastDay = { number: -1, text: '' };
