import type { Account, AccountId } from '../accounts.ts';
import * as entries from '../entries.ts';
import { isEqualHash } from '../equal-hash.ts';
import { type RateLimit, type RateState, takeFromWindow } from '../rate-window.ts';
import { isLive, liveSessions, publicSession, type Session, type SessionRef } from '../sessions.ts';
import type { Challenge, ChallengeOutcome } from '../sign-ins.ts';
import { account, post, sessionsOf, windowOf, writeWindow } from './account-state.ts';
import { removeEnded, type SqlConnection } from './sql-connection.ts';

type ChallengeRow = Omit<Challenge, 'startedAtMs'>;

export function storeChallenge(db: SqlConnection, mailbox: string, challenge: Challenge): void {
  const { startedAtMs, ...kept } = challenge;
  db.insert('challenges', { mailbox, ...kept }, 'REPLACE');
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

export function session(
  db: SqlConnection,
  { account: owner, id, secretHash }: SessionRef,
  nowMs: number,
): { account: Account; session: Session } | undefined {
  const stored = sessionsOf(db, owner).find((one) => one.id === id);
  if (!stored || !isLive(stored, nowMs)) return undefined;
  if (!isEqualHash(stored.secretHash, secretHash)) return undefined;
  const found = account(db, owner);
  return found && { account: found, session: publicSession(stored) };
}

export function noteSeen(db: SqlConnection, owner: AccountId, id: string, nowMs: number): void {
  post(db, owner, entries.noteSeen(id, nowMs));
}

export function sessions(db: SqlConnection, owner: AccountId, nowMs: number): Session[] {
  return liveSessions(sessionsOf(db, owner), nowMs);
}
