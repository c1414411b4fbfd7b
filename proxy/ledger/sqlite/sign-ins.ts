import { isEqualHash } from '../equal-hash.ts';
import { type RateLimit, type RateState, takeFromWindow } from '../rate-window.ts';
import type { Challenge, ChallengeOutcome } from '../sign-ins.ts';
import { windowOf, writeWindow } from './account-state.ts';
import { removeEnded, type SqlConnection } from './sql-connection.ts';

type ChallengeRow = Omit<Challenge, 'startedAtMs'>;

export function storeChallenge(db: SqlConnection, mailbox: string, challenge: Challenge): void {
  const { startedAtMs, codeHash, linkHash, endsAtMs } = challenge;
  db.run(
    'INSERT OR REPLACE INTO challenges VALUES (?, ?, ?, ?)',
    mailbox,
    codeHash,
    linkHash,
    endsAtMs,
  );
  removeEnded(db, 'challenges', startedAtMs);
}

export function answerChallenge(
  db: SqlConnection,
  mailbox: string,
  response: { readonly codeHash: string } | { readonly linkHash: string },
  nowMs: number,
): ChallengeOutcome {
  const kept = db.get<ChallengeRow>('SELECT * FROM challenges WHERE mailbox = ?', mailbox);
  if (!kept || nowMs >= kept.endsAtMs) return 'none';
  const isRight =
    'codeHash' in response
      ? isEqualHash(kept.codeHash, response.codeHash)
      : isEqualHash(kept.linkHash, response.linkHash);
  if (isRight) db.run('DELETE FROM challenges WHERE mailbox = ?', mailbox);
  return isRight ? 'right' : 'wrong';
}

export function takeLimited(
  db: SqlConnection,
  subject: string,
  window: RateLimit,
  nowMs: number,
): { allowed: boolean; rate: RateState } {
  const { allowed, window: after, rate } = takeFromWindow(windowOf(db, subject), window, nowMs);
  if (allowed) {
    writeWindow(db, subject, after);
    removeEnded(db, 'limits', nowMs);
  }
  return { allowed, rate };
}

export function returnLimited(db: SqlConnection, subject: string): void {
  db.run('UPDATE limits SET used = used - 1 WHERE subject = ? AND used > 0', subject);
}
