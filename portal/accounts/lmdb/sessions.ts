import type { Account, AccountId } from '../accounts.ts';
import { signInDetail } from '../audit-details.ts';
import { isEqualHash } from '../equal-hash.ts';
import {
  isLive,
  liveSessions,
  MAX_SESSIONS,
  type NewSession,
  publicSession,
  type Session,
  type SessionRef,
  type StoredSession,
} from '../sessions.ts';
import { note } from './audit.ts';
import type { LedgerBatch } from './batch.ts';
import { type Books, entriesOf } from './books.ts';

export function beginSession(
  batch: LedgerBatch,
  id: AccountId,
  session: NewSession,
): 'begun' | 'closed' {
  if (batch.account(id).closedAtMs !== null) return 'closed';
  const { startedAtMs: atMs } = session;
  const older = sessionRecordsOf(batch.books, id).sort((a, b) => b.seenAtMs - a.seenAtMs);
  for (const { id: old } of older.slice(MAX_SESSIONS - 1)) batch.books.sessions.remove([id, old]);
  batch.books.sessions.put([id, session.id], { ...session, seenAtMs: atMs });
  note(batch, id, { what: 'signed-in', detail: signInDetail(session), by: 'owner', atMs });
  return 'begun';
}

/** The session that a browser has, and its account. */
export function sessionOf(
  books: Books,
  { account: id, id: sessionId, secretHash }: SessionRef,
  nowMs: number,
): { account: Account; session: Session } | undefined {
  const record = books.sessions.get([id, sessionId]);
  const account = books.accounts.get(id);
  if (!record || !account || !isLive(record, nowMs)) return undefined;
  if (!isEqualHash(record.secretHash, secretHash)) return undefined;
  return { account: { id, ...account }, session: publicSession(record) };
}

/** Writes down that a session was seen, if it is still there. */
export function see(batch: LedgerBatch, id: AccountId, sessionId: string, nowMs: number): void {
  const record = batch.books.sessions.get([id, sessionId]);
  if (record) batch.books.sessions.put([id, sessionId], { ...record, seenAtMs: nowMs });
}

/** The newest first. */
export function sessionsOf(books: Books, id: AccountId, nowMs: number): Session[] {
  return liveSessions(sessionRecordsOf(books, id), nowMs);
}

export function endSession(
  batch: LedgerBatch,
  id: AccountId,
  sessionId: string,
  atMs: number,
): boolean {
  const record = batch.books.sessions.get([id, sessionId]);
  if (!record) return false;
  batch.books.sessions.remove([id, sessionId]);
  note(batch, id, { what: 'session-ended', detail: record.client, by: 'owner', atMs });
  return true;
}

export function endAllSessions({ books }: LedgerBatch, id: AccountId): void {
  for (const { id: sessionId } of sessionRecordsOf(books, id)) {
    books.sessions.remove([id, sessionId]);
  }
}

function sessionRecordsOf(books: Books, id: AccountId): StoredSession[] {
  return entriesOf(books.sessions, id).map(([, record]) => record);
}
