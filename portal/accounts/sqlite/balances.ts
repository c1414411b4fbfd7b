import type { AccountId, Actor, Grant, UsageDay } from '../accounts.ts';
import { grantDetail } from '../audit-details.ts';
import { dayOf, noDebit, requireGrant, requireRefund, requireTokens } from '../bookkeeping.ts';
import { grantsInOrder, usageInOrder } from '../in-order.ts';
import type { Charge, Debit } from '../metering.ts';
import { note } from './audit.ts';
import type { Books } from './books.ts';

export function debit(books: Books, charge: Charge): Debit {
  const { account, keyId, route, tokens, atMs } = charge;
  requireTokens(tokens);
  const day = dayOf(atMs);
  const balance = take(books, account, tokens);
  if (balance === undefined) {
    return { outcome: 'insufficient', balance: balanceOf(books, account) };
  }
  books.run(
    `INSERT INTO usage VALUES (?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT DO UPDATE SET requests = requests + 1, tokens = tokens + excluded.tokens,
       lastAtMs = max(lastAtMs, excluded.lastAtMs)`,
    account,
    day,
    keyId,
    route,
    tokens,
    atMs,
  );
  return { outcome: 'debited', balance };
}

export function refund(books: Books, charge: Charge, tokens = charge.tokens): void {
  requireRefund(charge, tokens);
  const { account, keyId, route, atMs } = charge;
  const requests = tokens === charge.tokens ? 1 : 0;
  const refunded = books.run(
    `UPDATE usage SET tokens = tokens - ?, requests = requests - ?
     WHERE account = ? AND day = ? AND keyId = ? AND route = ? AND requests >= 1 AND tokens >= ?`,
    tokens,
    requests,
    account,
    dayOf(atMs),
    keyId,
    route,
    charge.tokens,
  );
  if (refunded === 0) throw noDebit(charge);
  give(books, account, tokens);
}

/** Reverses a refund of a debit; its request was still counted. */
export function chargeAgain(books: Books, charge: Charge, tokens: number): Debit {
  requireTokens(tokens);
  const { account, keyId, route, atMs } = charge;
  const balance = take(books, account, tokens);
  if (balance === undefined) {
    return { outcome: 'insufficient', balance: balanceOf(books, account) };
  }
  if (tokens > 0) {
    books.run(
      'UPDATE usage SET tokens = tokens + ? WHERE account = ? AND day = ? AND keyId = ? AND route = ?',
      tokens,
      account,
      dayOf(atMs),
      keyId,
      route,
    );
  }
  return { outcome: 'debited', balance };
}

export function grant(
  books: Books,
  id: AccountId,
  given: Grant,
  by: Actor,
): { granted: boolean; balance: number } {
  requireGrant(given);
  const { tokens, atMs } = given;
  const balance = balanceOf(books, id);
  if (!book(books, id, given)) return { granted: false, balance };
  give(books, id, tokens);
  note(books, id, { what: 'tokens-granted', detail: grantDetail(given), by, atMs });
  return { granted: true, balance: balance + tokens };
}

/** Books a negative grant of the given tokens, or as many as are left. */
export function takeBack(
  books: Books,
  id: AccountId,
  given: Grant,
  by: Actor,
): { taken: number; balance: number } {
  requireGrant(given);
  const { cause, atMs } = given;
  const balance = balanceOf(books, id);
  const taken = Math.min(given.tokens, balance);
  if (!book(books, id, { ...given, tokens: 0 - taken })) return { taken: 0, balance };
  take(books, id, taken);
  const detail = `${taken} of ${given.tokens}, ${cause}`;
  note(books, id, { what: 'tokens-taken-back', detail, by, atMs });
  return { taken, balance: balance - taken };
}

/** Oldest first. */
export function usage(
  books: Books,
  id: AccountId,
  { from = '', to = '\u{10ffff}' }: { from?: string; to?: string } = {},
): UsageDay[] {
  return usageInOrder(
    books.all<UsageDay>(
      `SELECT day, keyId, route, requests, tokens, lastAtMs FROM usage
       WHERE account = ? AND day BETWEEN ? AND ?`,
      id,
      from,
      to,
    ),
  );
}

/** Oldest first. */
export function grants(books: Books, id: AccountId): Grant[] {
  const sql = 'SELECT tokens, cause, atMs FROM grants WHERE account = ?';
  return grantsInOrder(books.all<Grant>(sql, id));
}

/** Returns the new balance, or `undefined` if there are not enough tokens. */
function take(books: Books, id: AccountId, tokens: number): number | undefined {
  return books.get<{ balance: number }>(
    'UPDATE accounts SET balance = balance - ?1 WHERE id = ?2 AND balance >= ?1 RETURNING balance',
    tokens,
    id,
  )?.balance;
}

function give(books: Books, id: AccountId, tokens: number): void {
  books.run('UPDATE accounts SET balance = balance + ? WHERE id = ?', tokens, id);
}

/** Throws for an unknown account. */
function balanceOf(books: Books, id: AccountId): number {
  const found = books.get<{ balance: number }>('SELECT balance FROM accounts WHERE id = ?', id);
  if (!found) throw new Error(`no account ${id}`);
  return found.balance;
}

/** Records a grant; returns `false` if its cause has been recorded before. */
function book(books: Books, id: AccountId, { cause, tokens, atMs }: Grant): boolean {
  const sql = 'INSERT INTO grants VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
  return books.run(sql, id, cause, tokens, atMs) > 0;
}
