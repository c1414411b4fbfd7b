import type { AccountId, DelayedGrant } from '../accounts.ts';
import { MAX_DUE, spacingMs } from '../delayed-grants.ts';
import type { OnRedis } from './connection.ts';
import { DELAYED, spacedEntry } from './key-names.ts';
import { fleeting, script } from './script.ts';

export const takeSpaced: OnRedis<'takeSpaced'> = (redis, subject, window, nowMs) => {
  const spacing = spacingMs(window);
  return redis.run(TAKE_SPACED, [spacedEntry(subject)], [spacing, window.limit * spacing, nowMs]);
};

export const returnSpaced: OnRedis<'returnSpaced'> = async (redis, subject, window) => {
  await redis.run(RETURN_SPACED, [spacedEntry(subject)], [spacingMs(window)]);
};

export const delayGrant: OnRedis<'delayGrant'> = async (redis, account, grant) => {
  await redis.run(DELAY_GRANT, KEYS, [account, JSON.stringify(grant)]);
};

export const deferGrant: OnRedis<'deferGrant'> = async (redis, account, waitsFor, untilMs) => {
  const before = await delayedGrant(redis, account);
  if (!before) return;
  const grant: DelayedGrant = { ...before, waitsFor, dueAtMs: untilMs };
  await redis.run(DEFER_GRANT, KEYS, [account, JSON.stringify(grant)]);
};

export const delayedGrant: OnRedis<'delayedGrant'> = async (redis, account) => {
  const text = await redis.ask((client) => client.hget(DELAYED.records, account));
  return text === null ? undefined : JSON.parse(text);
};

export const queueTime: OnRedis<'queueTime'> = async (redis, waitsFor) => {
  const time = await redis.ask((client) => client.zscore(DELAYED.times, waitsFor));
  return time === null ? undefined : Number(time);
};

export const dueGrants: OnRedis<'dueGrants'> = async (redis, nowMs) => {
  const heads = await redis.run(DUE_GRANTS, KEYS, [nowMs]);
  return heads.map(([account, text]) => ({ account, ...JSON.parse(text) }));
};

export const endDelay: OnRedis<'endDelay'> = async (redis, account) => {
  await redis.run(END_DELAY, KEYS, [account]);
};

const KEYS = [DELAYED.times, DELAYED.records, DELAYED.queue];

/** Adds a grant to its queue; removes it from the one it is in, and that if it is empty. */
const QUEUES = `
local times, records, queue = KEYS[1], KEYS[2], KEYS[3]
local function add(account, text)
  local grant = cjson.decode(text)
  redis.call('HSET', records, account, text)
  redis.call('ZADD', queue .. grant.waitsFor, string.format('%.0f', grant.orderMs), account)
  return grant.waitsFor, string.format('%.0f', grant.dueAtMs)
end
local function remove(account)
  local text = redis.call('HGET', records, account)
  if not text then return false end
  local name = cjson.decode(text).waitsFor
  redis.call('ZREM', queue .. name, account)
  redis.call('HDEL', records, account)
  if redis.call('EXISTS', queue .. name) == 0 then redis.call('ZREM', times, name) end
  return true
end`;

const DELAY_GRANT = script<0 | 1>(
  QUEUES,
  `
if redis.call('HEXISTS', records, ARGV[1]) == 1 then return 0 end
local name, time = add(ARGV[1], ARGV[2])
redis.call('ZADD', times, 'LT', time, name)
return 1`,
);

const DEFER_GRANT = script<0 | 1>(
  QUEUES,
  `
if not remove(ARGV[1]) then return 0 end
local name, time = add(ARGV[1], ARGV[2])
redis.call('ZADD', times, time, name)
return 1`,
);

const END_DELAY = script<1>(QUEUES, 'remove(ARGV[1])\nreturn 1');

/** First account of each queue whose time has come, and its record. */
const DUE_GRANTS = fleeting<[account: AccountId, text: string][]>(
  `
local times, records, queue = KEYS[1], KEYS[2], KEYS[3]
local heads = {}
for i, name in ipairs(redis.call('ZRANGE', times, '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ${MAX_DUE})) do
  local account = redis.call('ZRANGE', queue .. name, 0, 0)[1]
  heads[i] = { account, redis.call('HGET', records, account) }
end
return heads`,
);

/** Takes one of a spaced limit, as `taken` does, if it is available. */
const TAKE_SPACED = fleeting<number>(
  `
local spacing, length, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local last, ends = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
last, ends = tonumber(last) or now, tonumber(ends) or now
local from = math.max(now, ends - math.max(0, last - now))
local available = math.max(now, from + spacing - length)
local whole = available > now and from or from + spacing
redis.call('SET', KEYS[1], string.format('%.0f %.0f', now, whole), 'PX', whole - now)
return available`,
);

const RETURN_SPACED = fleeting<0 | 1>(
  `
local last, ends = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
if not last then return 0 end
redis.call('SET', KEYS[1], string.format('%s %.0f', last, ends - ARGV[1]), 'KEEPTTL')
return 1`,
);
