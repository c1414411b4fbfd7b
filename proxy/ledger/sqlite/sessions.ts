import type { Account, AccountId } from '../accounts.ts';
import { signInDetail } from '../audit-details.ts';
import { isEqualHash } from '../equal-hash.ts';
import {
  isLive,
  liveSessions,
  MAX_SESSIONS,
  type NewSession,
  publicSession,
  SESSION_LIFE_MS,
  type Session,
  type SessionRef,
  type StoredSession,
} from '../sessions.ts';
import { account, existing } from './accounts.ts';
import { note } from './audit.ts';
import { REMOVED_AT_ONCE, type SqlConnection } from './sql-connection.ts';

const COLUMNS = 'id, secretHash, startedAtMs, client, address, seenAtMs';

export function beginSession(
  db: SqlConnection,
  owner: AccountId,
  session: NewSession,
): 'begun' | 'closed' {
  if (existing(db, owner).closedAtMs !== null) return 'closed';
  const { id, secretHash, startedAtMs, client, address } = session;
  db.run(
    `DELETE FROM sessions WHERE account = ?1 AND id IN (
       SELECT id FROM sessions WHERE account = ?1 ORDER BY seenAtMs DESC LIMIT -1 OFFSET ?2
     )`,
    owner,
    MAX_SESSIONS - 1,
  );
  db.run(
    'INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)',
    owner,
    id,
    secretHash,
    startedAtMs,
    client,
    address,
    startedAtMs,
  );
  removeUnused(db, startedAtMs);
  const detail = signInDetail(session);
  note(db, owner, { what: 'signed-in', detail, by: 'owner', atMs: startedAtMs });
  return 'begun';
}

/** A browser's session, and its account. */
export function session(
  db: SqlConnection,
  { account: owner, id, secretHash }: SessionRef,
  nowMs: number,
): { account: Account; session: Session } | undefined {
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE account = ? AND id = ?`;
  const stored = db.get<StoredSession>(sql, owner, id);
  if (!stored || !isLive(stored, nowMs)) return undefined;
  if (!isEqualHash(stored.secretHash, secretHash)) return undefined;
  const found = account(db, owner);
  return found && { account: found, session: publicSession(stored) };
}

/** Records the use of a session, if it still exists. */
export function noteSeen(db: SqlConnection, owner: AccountId, id: string, nowMs: number): void {
  db.run('UPDATE sessions SET seenAtMs = ? WHERE account = ? AND id = ?', nowMs, owner, id);
}

/** Unexpired sessions of an account, newest first. */
export function sessions(db: SqlConnection, owner: AccountId, nowMs: number): Session[] {
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE account = ?`;
  return liveSessions(db.all<StoredSession>(sql, owner), nowMs);
}

export function endSession(db: SqlConnection, owner: AccountId, id: string, atMs: number): boolean {
  const ended = db.get<{ client: string }>(
    'DELETE FROM sessions WHERE account = ? AND id = ? RETURNING client',
    owner,
    id,
  );
  if (!ended) return false;
  note(db, owner, { what: 'session-ended', detail: ended.client, by: 'owner', atMs });
  return true;
}

export function endAllSessions(db: SqlConnection, owner: AccountId): void {
  db.run('DELETE FROM sessions WHERE account = ?', owner);
}

/** Removes some sessions that have expired, of any account. */
function removeUnused(db: SqlConnection, nowMs: number): void {
  db.run(
    `DELETE FROM sessions WHERE (account, id) IN (
       SELECT account, id FROM sessions WHERE seenAtMs <= ? ORDER BY seenAtMs LIMIT ?
     )`,
    nowMs - SESSION_LIFE_MS,
    REMOVED_AT_ONCE,
  );
}
