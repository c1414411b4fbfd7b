import type { Account, AccountId } from '../accounts.ts';
import { noteSeen } from '../entries.ts';
import { isEqualHash } from '../equal-hash.ts';
import {
  isLive,
  isSeenLongAgo,
  liveSessions,
  publicSession,
  type Session,
  type SessionRef,
  type StoredSession,
} from '../sessions.ts';
import { post } from './account-state.ts';
import { account } from './accounts.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './key-names.ts';

/** A browser's session, and its account. */
export async function session(
  redis: RedisConnection,
  { account: id, id: sessionId, secretHash }: SessionRef,
  nowMs: number,
): Promise<{ account: Account; session: Session } | undefined> {
  const { sessions } = keysOf(id);
  const [text, owner] = await Promise.all([
    redis.ask((client) => client.hget(sessions, sessionId)),
    account(redis, id),
  ]);
  if (text === null || !owner) return undefined;
  const record: StoredSession = JSON.parse(text);
  if (!isLive(record, nowMs) || !isEqualHash(record.secretHash, secretHash)) return undefined;
  if (isSeenLongAgo(record, nowMs)) await post(redis, id, noteSeen(sessionId, nowMs));
  return { account: owner, session: publicSession(record) };
}

/** Unexpired sessions of an account, newest first. */
export async function sessions(
  redis: RedisConnection,
  id: AccountId,
  nowMs: number,
): Promise<Session[]> {
  const texts = await redis.ask((client) => client.hvals(keysOf(id).sessions));
  return liveSessions(
    texts.map((text) => JSON.parse(text)),
    nowMs,
  );
}
