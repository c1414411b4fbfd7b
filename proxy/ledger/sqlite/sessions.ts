import type { Account, AccountId } from '../accounts.ts';
import * as entries from '../entries.ts';
import { isEqualHash } from '../equal-hash.ts';
import { isLive, liveSessions, publicSession, type Session, type SessionRef } from '../sessions.ts';
import { account, post, sessionsOf } from './account-state.ts';
import type { SqlConnection } from './sql-connection.ts';

/** A browser's session, and its account. */
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

/** Records the use of a session, if it still exists. */
export function noteSeen(db: SqlConnection, owner: AccountId, id: string, nowMs: number): void {
  post(db, owner, entries.noteSeen(id, nowMs));
}

/** Unexpired sessions of an account, newest first. */
export function sessions(db: SqlConnection, owner: AccountId, nowMs: number): Session[] {
  return liveSessions(sessionsOf(db, owner), nowMs);
}
