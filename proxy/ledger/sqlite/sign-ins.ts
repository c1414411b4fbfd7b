import type { AccountId } from '../accounts.ts';
import * as entries from '../entries.ts';
import { isEqualHash } from '../equal-hash.ts';
import { takeFromWindow } from '../rate-window.ts';
import { isLive, liveSessions, publicSession } from '../sessions.ts';
import type { Challenge } from '../sign-ins.ts';
import { account, post, sessionsOf, windowOf, writeWindow } from './account-state.ts';
import { type OnSqlite, removeEnded, type SqlConnection } from './sql-connection.ts';

type ChallengeRow = Omit<Challenge, 'startedAtMs'>;

export const storeChallenge: OnSqlite<'storeChallenge'> = (db, mailbox, challenge) => {
  const { startedAtMs, ...kept } = challenge;
  db.insert('challenges', { mailbox, ...kept }, 'REPLACE');
  removeEnded(db, 'challenges', startedAtMs);
};

export const answerChallenge: OnSqlite<'answerChallenge'> = (db, mailbox, response, nowMs) => {
  const kept = db.get<ChallengeRow>('SELECT * FROM challenges WHERE mailbox = ?', mailbox);
  if (!kept || nowMs >= kept.endsAtMs) return 'none';
  const isRight =
    'codeHash' in response
      ? isEqualHash(kept.codeHash, response.codeHash)
      : isEqualHash(kept.linkHash, response.linkHash);
  if (isRight) db.run('DELETE FROM challenges WHERE mailbox = ?', mailbox);
  return isRight ? 'right' : 'wrong';
};

export const takeLimited: OnSqlite<'takeLimited'> = (db, subject, window, nowMs) => {
  const { allowed, window: after, rate } = takeFromWindow(windowOf(db, subject), window, nowMs);
  if (allowed) {
    writeWindow(db, subject, after);
    removeEnded(db, 'limits', nowMs);
  }
  return { allowed, rate };
};

export const returnLimited: OnSqlite<'returnLimited'> = (db, subject) => {
  db.run('UPDATE limits SET used = used - 1 WHERE subject = ? AND used > 0', subject);
};

export const session: OnSqlite<'session'> = (db, { account: owner, id, secretHash }, nowMs) => {
  const stored = sessionsOf(db, owner).find((one) => one.id === id);
  if (!stored || !isLive(stored, nowMs)) return undefined;
  if (!isEqualHash(stored.secretHash, secretHash)) return undefined;
  const found = account(db, owner);
  return found && { account: found, session: publicSession(stored) };
};

export function noteSeen(db: SqlConnection, owner: AccountId, id: string, nowMs: number): void {
  post(db, owner, entries.noteSeen(id, nowMs));
}

export const sessions: OnSqlite<'sessions'> = (db, owner, nowMs) =>
  liveSessions(sessionsOf(db, owner), nowMs);
