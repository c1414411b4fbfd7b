import type { Minutes } from '../../shards/units.ts';
import type { RateState } from './rate-state.ts';

/**
 * Proof of control over a mailbox. Secrets arrive as hashes keyed by the caller, so reading the
 * ledger does not allow signing in. Failures are `LedgerUnavailable`.
 */
export interface SignIns {
  /** Keeps what was mailed to a mailbox; an earlier challenge of it ends. */
  keepChallenge(mailbox: string, challenge: Challenge): Promise<void>;

  /**
   * Whether an answer is right, which ends the challenge; of racing right answers one succeeds. A
   * wrong code uses up one of `CODE_TRIES`; after that no code is right, while the link still is.
   */
  answerChallenge(
    mailbox: string,
    response: { readonly codeHash: string } | { readonly linkHash: string },
    nowMs: number,
  ): Promise<boolean>;

  /**
   * Takes one of `limit` in a window of seconds that begins with the first, across all processes
   * that share the ledger. Refused attempts do not count.
   */
  takeLimited(
    subject: string,
    window: { readonly limit: number; readonly windowSeconds: number },
    nowMs: number,
  ): Promise<{ readonly allowed: boolean; readonly rate: RateState }>;
}

export const CODE_TRIES = 5;
/** How long a code and its link may be answered with. */
export const CHALLENGE_MINUTES: Minutes = 10;

export interface Challenge {
  readonly startedAtMs: number;
  readonly codeHash: string;
  readonly linkHash: string;
  readonly endsAtMs: number;
}
