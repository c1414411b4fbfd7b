import type { Account, AccountId } from '../accounts.ts';
import { signInDetail } from '../audit-details.ts';
import { isEqualHash } from '../equal-hash.ts';
import {
  isLive,
  isSeenLongAgo,
  liveSessions,
  MAX_SESSIONS,
  type NewSession,
  publicSession,
  SESSION_LIFE_MS,
  type Session,
  type SessionRef,
  type StoredSession,
} from '../sessions.ts';
import { account } from './accounts.ts';
import type { RedisConnection } from './connection.ts';
import { keysOf } from './key-names.ts';
import { CLOSED, KNOWN, NOTE } from './lua.ts';
import { fleeting, script } from './script.ts';

export async function beginSession(
  redis: RedisConnection,
  id: AccountId,
  session: NewSession,
): Promise<'begun' | 'closed'> {
  const { account, sessions, audit } = keysOf(id);
  const record: StoredSession = { ...session, seenAtMs: session.startedAtMs };
  return redis.run(
    BEGIN_SESSION,
    [account, sessions, audit],
    [session.id, JSON.stringify(record), signInDetail(session), session.startedAtMs],
  );
}

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
  if (isSeenLongAgo(record, nowMs)) await redis.run(SEE, [sessions], [sessionId, nowMs]);
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

export async function endSession(
  redis: RedisConnection,
  id: AccountId,
  sessionId: string,
  nowMs: number,
): Promise<boolean> {
  const { sessions, audit } = keysOf(id);
  return (await redis.run(END_SESSION, [sessions, audit], [sessionId, nowMs])) === 1;
}

/** Starts a session; evicts those that have been idle longest, beyond `MAX_SESSIONS`. */
const BEGIN_SESSION = script<'begun' | 'closed'>(
  KNOWN,
  CLOSED,
  NOTE,
  `
local account, sessions, audit = KEYS[1], KEYS[2], KEYS[3]
if not known(account) then return unknown(account) end
if is_closed(account) then return 'closed' end
local older = {}
for _, text in ipairs(redis.call('HVALS', sessions)) do table.insert(older, cjson.decode(text)) end
table.sort(older, function(a, b) return a.seenAtMs > b.seenAtMs end)
for i = ${MAX_SESSIONS}, #older do redis.call('HDEL', sessions, older[i].id) end
redis.call('HSET', sessions, ARGV[1], ARGV[2])
redis.call('PEXPIRE', sessions, ${SESSION_LIFE_MS})
note(audit, { what = 'signed-in', detail = ARGV[3], by = 'owner', atMs = tonumber(ARGV[4]) })
return 'begun'`,
);

const SEE = fleeting<0 | 1>(
  `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then return 0 end
local session = cjson.decode(text)
session.seenAtMs = tonumber(ARGV[2])
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(session))
redis.call('PEXPIRE', KEYS[1], ${SESSION_LIFE_MS})
return 1`,
);

const END_SESSION = script<0 | 1>(
  NOTE,
  `
local sessions, audit = KEYS[1], KEYS[2]
local text = redis.call('HGET', sessions, ARGV[1])
if not text then return 0 end
redis.call('HDEL', sessions, ARGV[1])
local detail = cjson.decode(text).client
note(audit, { what = 'session-ended', detail = detail, by = 'owner', atMs = tonumber(ARGV[2]) })
return 1`,
);
