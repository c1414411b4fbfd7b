import { PLANS } from '../plans.ts';
import { type ApiKey, type Grant, MAX_CAUSE_BYTES, type UsageDay } from './accounts.ts';
import type { Charge } from './metering.ts';
import { type IdempotentRequest, MAX_IDEMPOTENCY_KEY } from './replays.ts';

// Checks and computations shared by all ledgers.

/** Upper bound on the tokens of a grant; a thousand such grants still add up to a safe integer. */
const MAX_GRANT = 1e12;

/** Whether a number can be charged; NaN or a fraction, for example, would corrupt a balance. */
export function isTokens(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0;
}

export function requireTokens(tokens: number): void {
  if (!isTokens(tokens)) {
    throw new RangeError(`tokens must be a whole number of at least 0, not ${tokens}`);
  }
}

export function requireGrant({ tokens, cause }: Grant): void {
  requireTokens(tokens);
  if (tokens > MAX_GRANT) throw new RangeError(`a grant is limited to ${MAX_GRANT} tokens`);
  if (cause === '' || Buffer.byteLength(cause) > MAX_CAUSE_BYTES) {
    throw new RangeError(`the cause of a grant must be 1 to ${MAX_CAUSE_BYTES} bytes`);
  }
}

/** Throws a `RangeError` unless a refund returns all or part of its charge. */
export function requireRefund(charge: Charge, tokens: number): void {
  requireTokens(charge.tokens);
  requireTokens(tokens);
  if (tokens > charge.tokens)
    throw new RangeError(`cannot refund ${tokens} tokens: that is more than was charged`);
}

export function requireIdempotencyKey({ key }: IdempotentRequest): void {
  if (key.length < 1 || key.length > MAX_IDEMPOTENCY_KEY) {
    throw new RangeError(`an Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
  }
}

export function noDebit({ account, tokens }: Charge): Error {
  return new Error(`no debit of ${tokens} tokens to refund to ${account}`);
}

export function signupGrant(atMs: number): Grant {
  return { tokens: PLANS.free_grant.tokens, cause: 'signup', atMs };
}

/**
 * The UTC day of a timestamp. Requests arrive in order, so the last result can usually be reused.
 */
export function dayOf(atMs: number): string {
  const number = Math.floor(atMs / 86_400_000);
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(atMs).toISOString().slice(0, 10) };
  }
  return lastDay.text;
}
let lastDay = { number: -1, text: '' };

// Sort orders of an account's lists, the same on every ledger.

export function grantsInOrder(grants: readonly Grant[]): Grant[] {
  return [...grants].sort((a, b) => a.atMs - b.atMs || compare(a.cause, b.cause));
}

export function keysInOrder<Key extends ApiKey>(keys: readonly Key[]): Key[] {
  return [...keys].sort((a, b) => a.createdAtMs - b.createdAtMs || compare(a.id, b.id));
}

/** Sorts usage by day, key and route, and drops entries that were refunded entirely. */
export function usageInOrder(usage: readonly UsageDay[]): UsageDay[] {
  return usage
    .filter(({ requests }) => requests > 0)
    .sort(
      (a, b) => compare(a.day, b.day) || compare(a.keyId, b.keyId) || compare(a.route, b.route),
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
