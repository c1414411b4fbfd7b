import type { AccountId, UsageDay } from '../accounts.ts';
import { dayOf, noDebit, requireRefund, requireTokens, usageInOrder } from '../bookkeeping.ts';
import type { Charge, Debit } from '../metering.ts';
import type { OnSqlite, SqlConnection } from './sql-connection.ts';

export const debit: OnSqlite<'debit'> = (db, charge) => {
  const { account, keyId, route, tokens, atMs } = charge;
  requireTokens(tokens);
  const balance = take(db, account, tokens);
  if (balance === undefined) {
    return { outcome: 'insufficient', balance: balanceOf(db, account) };
  }
  addUsage(db, { account, day: dayOf(atMs), keyId, route, requests: 1, tokens, lastAtMs: atMs });
  return { outcome: 'debited', balance };
};

/** Debits of one account by one key, route and day, in order. */
export interface DebitRun extends Pick<Charge, 'account' | 'keyId' | 'route'> {
  readonly day: string;
  readonly tokens: readonly number[];
  readonly atMs: readonly number[];
}

/** Result of a run: the outcome of each debit, or the final balance if all were made. */
export type DebitedRun = readonly Debit[] | number;

/**
 * Makes debits one after another, or by two statements if the balance suffices for all. Tokens must
 * be valid. In the latter case, returns only the balance, since results are copied between threads.
 */
export function debitRun(db: SqlConnection, run: DebitRun): DebitedRun {
  const { account, keyId, route, day, tokens, atMs } = run;
  const sum = tokens.reduce((all, one) => all + one, 0);
  const balance = Number.isSafeInteger(sum) ? take(db, account, sum) : undefined;
  if (balance === undefined) {
    return tokens.map((one, i) => debit(db, { account, keyId, route, tokens: one, atMs: atMs[i] }));
  }
  const lastAtMs = atMs.reduce((last, one) => Math.max(last, one));
  addUsage(db, { account, day, keyId, route, requests: tokens.length, tokens: sum, lastAtMs });
  return balance;
}

export function debitsOf({ tokens }: DebitRun, outcome: DebitedRun): readonly Debit[] {
  if (typeof outcome !== 'number') return outcome;
  let balance = tokens.reduce((all, one) => all + one, outcome);
  return tokens.map((one) => {
    balance -= one;
    return { outcome: 'debited', balance };
  });
}

export const refund: OnSqlite<'refund'> = (db, charge, tokens = charge.tokens) => {
  requireRefund(charge, tokens);
  const { account, keyId, route, atMs } = charge;
  const requests = tokens === charge.tokens ? 1 : 0;
  const refunded = db.run(
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
  db.run('UPDATE accounts SET balance = balance + ? WHERE id = ?', tokens, account);
};

/** Reverses a refund of a debit, whose request is still counted. */
export function chargeAgain(db: SqlConnection, charge: Charge, tokens: number): Debit {
  requireTokens(tokens);
  const { account, keyId, route, atMs } = charge;
  const balance = take(db, account, tokens);
  if (balance === undefined) {
    return { outcome: 'insufficient', balance: balanceOf(db, account) };
  }
  if (tokens > 0) {
    db.run(
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

export const usage: OnSqlite<'usage'> = (db, id, { from = '', to = '\u{10ffff}' } = {}) =>
  usageInOrder(
    db.all<UsageDay>(
      `SELECT day, keyId, route, requests, tokens, lastAtMs FROM usage
       WHERE account = ? AND day BETWEEN ? AND ?`,
      id,
      from,
      to,
    ),
  );

function addUsage(db: SqlConnection, added: UsageDay & { readonly account: AccountId }): void {
  db.run(
    `INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
       tokens = tokens + excluded.tokens, lastAtMs = max(lastAtMs, excluded.lastAtMs)`,
    added.account,
    added.day,
    added.keyId,
    added.route,
    added.requests,
    added.tokens,
    added.lastAtMs,
  );
}

/**
 * Takes tokens from an account; returns the new balance, or `undefined` if there are not enough.
 */
function take(db: SqlConnection, id: AccountId, tokens: number): number | undefined {
  return db.get<{ balance: number }>(
    'UPDATE accounts SET balance = balance - ?1 WHERE id = ?2 AND balance >= ?1 RETURNING balance',
    tokens,
    id,
  )?.balance;
}

function balanceOf(db: SqlConnection, id: AccountId): number {
  const found = db.get<{ balance: number }>('SELECT balance FROM accounts WHERE id = ?', id);
  if (!found) throw new Error(`no account ${id}`);
  return found.balance;
}
