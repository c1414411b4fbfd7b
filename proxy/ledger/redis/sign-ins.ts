import { noteSeen } from '../entries.ts';
import { isEqualHash } from '../equal-hash.ts';
import { rateState } from '../rate-window.ts';
import {
  isLive,
  isSeenLongAgo,
  liveSessions,
  publicSession,
  type StoredSession,
} from '../sessions.ts';
import type { ChallengeOutcome } from '../sign-ins.ts';
import { post } from './account-state.ts';
import { account } from './accounts.ts';
import type { OnRedis } from './connection.ts';
import { challengeEntry, keysOf, limitEntry } from './key-names.ts';
import { fleeting, script, TAKE } from './script.ts';

export const storeChallenge: OnRedis<'storeChallenge'> = async (
  redis,
  mailbox,
  { startedAtMs, codeHash, linkHash, endsAtMs },
) => {
  await redis.run(
    KEEP_CHALLENGE,
    [challengeEntry(mailbox)],
    [codeHash, linkHash, endsAtMs, Math.max(1, endsAtMs - startedAtMs)],
  );
};

export const answerChallenge: OnRedis<'answerChallenge'> = (redis, mailbox, response, nowMs) => {
  const [by, hash] =
    'codeHash' in response ? ['codeHash', response.codeHash] : ['linkHash', response.linkHash];
  return redis.run(ANSWER_CHALLENGE, [challengeEntry(mailbox)], [by, hash, nowMs]);
};

export const takeLimited: OnRedis<'takeLimited'> = async (redis, subject, window, nowMs) => {
  const [allowed, used, elapsedMs] = await redis.run(
    TAKE_LIMITED,
    [limitEntry(subject)],
    [window.limit, window.windowSeconds * 1000, nowMs],
  );
  return { allowed: allowed === 1, rate: rateState(window, used, elapsedMs) };
};

export const returnLimited: OnRedis<'returnLimited'> = async (redis, subject) => {
  await redis.run(RETURN_LIMITED, [limitEntry(subject)]);
};

const KEEP_CHALLENGE = script<1>(
  `
local challenge = KEYS[1]
redis.call('HSET', challenge, 'codeHash', ARGV[1], 'linkHash', ARGV[2], 'endsAtMs', ARGV[3])
return redis.call('PEXPIRE', challenge, ARGV[4])`,
);

/** Hashes are keyed, so timing of the comparison is useless without the key. */
const ANSWER_CHALLENGE = script<ChallengeOutcome>(
  `
local challenge, by, hash, now = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local right, ends = unpack(redis.call('HMGET', challenge, by, 'endsAtMs'))
if not right or now >= tonumber(ends) then return 'none' end
if right ~= hash then return 'wrong' end
redis.call('DEL', challenge)
return 'right'`,
);

const TAKE_LIMITED = fleeting<[allowed: 0 | 1, used: number, elapsedMs: number]>(
  TAKE,
  `return { take(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])) }`,
);

const RETURN_LIMITED = fleeting<0 | 1>(
  `
local start, used = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
if not start or tonumber(used) < 1 then return 0 end
redis.call('SET', KEYS[1], start .. ' ' .. (used - 1), 'KEEPTTL')
return 1`,
);

export const session: OnRedis<'session'> = async (
  redis,
  { account: id, id: sessionId, secretHash },
  nowMs,
) => {
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
};

export const sessions: OnRedis<'sessions'> = async (redis, id, nowMs) => {
  const texts = await redis.ask((client) => client.hvals(keysOf(id).sessions));
  return liveSessions(
    texts.map((text) => JSON.parse(text)),
    nowMs,
  );
};
