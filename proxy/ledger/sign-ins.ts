import type { Minutes } from '../../shards/units.ts';
import type { RateLimit, RateState } from './rate-window.ts';

/**
 * Proof of control over a mailbox. Secrets arrive as hashes keyed by the caller, so reading the
 * ledger does not allow signing in. Failures are `LedgerUnavailable`.
 */
export interface SignIns {
  /** Stores what was mailed to a mailbox; invalidates its earlier challenge. */
  storeChallenge(mailbox: string, challenge: Challenge): Promise<void>;

  /**
   * Checks a response to a challenge; a correct one uses the challenge up, and of concurrent
   * correct ones only one succeeds. Wrong ones leave it as it is, so that strangers cannot end it;
   * the caller limits them.
   */
  answerChallenge(
    mailbox: string,
    response: { readonly codeHash: string } | { readonly linkHash: string },
    nowMs: number,
  ): Promise<ChallengeOutcome>;

  /**
   * Takes one of `limit` attempts per window, counted across all processes that share the ledger. A
   * window starts with its first attempt. Refused attempts do not count.
   */
  takeLimited(
    subject: string,
    window: RateLimit,
    nowMs: number,
  ): Promise<{ readonly allowed: boolean; readonly rate: RateState }>;
  /** Returns an attempt to the window that it was taken from, if that is still open. */
  returnLimited(subject: string): Promise<void>;
}

/** `none`: there was no challenge that any such response could have met. */
export type ChallengeOutcome = 'right' | 'wrong' | 'none';

export const CHALLENGE_MINUTES: Minutes = 10;

export interface Challenge {
  readonly startedAtMs: number;
  readonly codeHash: string;
  readonly linkHash: string;
  readonly endsAtMs: number;
}
