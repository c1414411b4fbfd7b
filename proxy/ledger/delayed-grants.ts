import type { AccountId, DelayedGrant, Grant } from './accounts.ts';

/** A limit that is evenly spaced: `limit` at once after a pause, and one more each part of it. */
export interface SpacedWindow {
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface DueGrant extends DelayedGrant {
  readonly account: AccountId;
}

export const MAX_DUE = 100;

/**
 * Sign-up grants that are credited later. Each waits in the queue of one limit, and each queue has
 * a time before which it is left alone. Failures are `LedgerUnavailable`.
 */
export interface DelayedGrants {
  /**
   * Takes one of a limit if one is available, and returns since when it is: `nowMs` if it was
   * taken, a later time if it was not (the generic cell rate algorithm of ITU-T I.371).
   */
  takeSpaced(subject: string, window: SpacedWindow, nowMs: number): Promise<number>;
  returnSpaced(subject: string, window: SpacedWindow): Promise<void>;

  /** Records that the grant of an account is delayed; an earlier record stays. */
  delayGrant(account: AccountId, grant: DelayedGrant): Promise<void>;
  /**
   * Moves a delayed grant to the queue of a limit, which may be its own, and sets the time of that
   * queue.
   */
  deferGrant(account: AccountId, waitsFor: string, untilMs: number): Promise<void>;
  delayedGrant(account: AccountId): Promise<DelayedGrant | undefined>;
  /** Time of the queue of a limit; undefined if no grant waits for it. */
  queueTime(waitsFor: string): Promise<number | undefined>;
  /** The first grant of each queue whose time has come, the earliest times first. */
  dueGrants(nowMs: number): Promise<DueGrant[]>;
  endDelay(account: AccountId): Promise<void>;
}

export interface SpacedState {
  readonly lastAtMs: number;
  /** When the limit is whole again, if nothing more is taken. */
  readonly endsAtMs: number;
}

/** How much later the limit is whole again for each one taken. */
export function spacingMs({ limit, windowSeconds }: SpacedWindow): number {
  return Math.ceil((windowSeconds * 1000) / limit);
}

/**
 * When one more is available, and the state after it is taken if that is now; `before`: the state
 * so far, if any.
 */
export function taken(
  before: SpacedState | undefined,
  window: SpacedWindow,
  nowMs: number,
): SpacedState & { readonly availableAtMs: number } {
  // If the clock was set back, the state moves with it.
  const backMs = Math.max(0, (before?.lastAtMs ?? nowMs) - nowMs);
  const fromMs = Math.max(nowMs, (before?.endsAtMs ?? nowMs) - backMs);
  const endsAtMs = fromMs + spacingMs(window);
  const availableAtMs = Math.max(nowMs, endsAtMs - window.limit * spacingMs(window));
  return { lastAtMs: nowMs, endsAtMs: availableAtMs > nowMs ? fromMs : endsAtMs, availableAtMs };
}

/** Start of the cause of a zero grant that records that the sign-up grant is due, and why. */
const WITHHELD = 'signup-withheld:';

export function withheldGrant(reason: string, atMs: number): Grant {
  return { tokens: 0, cause: WITHHELD + reason, atMs };
}

/** Whether an account with grants of these causes has yet to get its sign-up grant. */
export function isGrantDelayed(causes: readonly string[]): boolean {
  return causes.some((cause) => cause.startsWith(WITHHELD)) && !causes.includes('signup');
}

/** The reason and time of the delay of a sign-up grant that is still due; null if none is. */
export function delayIn(grants: readonly Grant[]): { reason: string; sinceMs: number } | null {
  if (!isGrantDelayed(grants.map(({ cause }) => cause))) return null;
  const { cause, atMs } = grants.find((grant) => grant.cause.startsWith(WITHHELD))!;
  return { reason: cause.slice(WITHHELD.length), sinceMs: atMs };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Stands for all networks that are not recorded, which have one limit together. */
const NO_NETWORK = 'unknown';

/** The delay of a grant of which only the start is recorded: a day later, limits have room. */
export function delaySince(account: AccountId, sinceMs: number): DelayedGrant {
  const dueAtMs = sinceMs + DAY_MS;
  return { waitsFor: account, dueAtMs, orderMs: dueAtMs, network: NO_NETWORK };
}
