import type { AccountId, Grant } from './accounts.ts';

/** Sign-up grants that are credited later. Failures are `LedgerUnavailable`. */
export interface DelayedGrants {
  /**
   * Reserves one of `limit` per window, and returns when it is available: now, or once earlier
   * reservations have been. `limit` of them are available at once after a pause, and one more every
   * `limit`-th part of a window (the generic cell rate algorithm of ITU-T I.371).
   */
  reserve(
    subject: string,
    window: { readonly limit: number; readonly windowSeconds: number },
    nowMs: number,
  ): Promise<number>;

  /** Records when the grant of an account is due; an earlier record stays. */
  delayGrant(account: AccountId, dueAtMs: number): Promise<void>;
  /** When the grant of an account is due, if that is recorded. */
  delayedUntil(account: AccountId): Promise<number | undefined>;
  /** Up to `limit` accounts whose grants are due, the earliest first. */
  dueGrants(nowMs: number, limit: number): Promise<AccountId[]>;
  /** Removes the record of an account. */
  endDelay(account: AccountId): Promise<void>;
}

/** State of the reservations of a subject. */
export interface Reservations {
  /** Time of the last call. */
  readonly lastAtMs: number;
  /** When the limit is whole again, if nothing more is reserved. */
  readonly endsAtMs: number;
}

/** Makes one more reservation; `before`: the state left by the last one, if any. */
export function reserved(
  before: Reservations | undefined,
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
  nowMs: number,
): Reservations & { readonly availableAtMs: number } {
  const windowMs = windowSeconds * 1000;
  const spacingMs = windowMs / limit;
  // If the clock was set back, the queue moves with it.
  const backMs = Math.max(0, (before?.lastAtMs ?? nowMs) - nowMs);
  const fromMs = Math.max(nowMs, (before?.endsAtMs ?? nowMs) - backMs);
  return {
    lastAtMs: nowMs,
    endsAtMs: Math.ceil(fromMs + spacingMs),
    availableAtMs: Math.max(nowMs, Math.ceil(fromMs + spacingMs - windowMs)),
  };
}

/** Start of the cause of a zero grant that records that the sign-up grant is due, and why. */
const WITHHELD = 'signup-withheld:';

/** The zero grant of an account whose sign-up grant is delayed for a reason. */
export function withheldGrant(reason: string, atMs: number): Grant {
  return { tokens: 0, cause: WITHHELD + reason, atMs };
}

/** The reason and time of the delay of a sign-up grant that is still due; null if none is. */
export function delayIn(grants: readonly Grant[]): { reason: string; sinceMs: number } | null {
  const delay = grants.find(({ cause }) => cause.startsWith(WITHHELD));
  if (delay === undefined || grants.some(({ cause }) => cause === 'signup')) return null;
  return { reason: delay.cause.slice(WITHHELD.length), sinceMs: delay.atMs };
}
