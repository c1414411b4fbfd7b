import type { AccountId, DelayedGrant } from '../accounts.ts';
import { type DueGrant, delaySince, type SpacedWindow, spacingMs } from '../delayed-grants.ts';
import type { RedisConnection } from './connection.ts';
import { DELAYED_GRANTS, DELAYED_ORIGINS, spacedEntry } from './key-names.ts';
import { fleeting } from './script.ts';

export function takeSpaced(
  redis: RedisConnection,
  subject: string,
  window: SpacedWindow,
  nowMs: number,
): Promise<number> {
  const spacing = spacingMs(window);
  return redis.run(TAKE_SPACED, [spacedEntry(subject)], [spacing, window.limit * spacing, nowMs]);
}

export async function returnSpaced(
  redis: RedisConnection,
  subject: string,
  window: SpacedWindow,
): Promise<void> {
  await redis.run(RETURN_SPACED, [spacedEntry(subject)], [spacingMs(window)]);
}

/** Records a delay; it counts from when its time is recorded, last. */
export async function delayGrant(
  redis: RedisConnection,
  account: AccountId,
  { dueAtMs, ...origin }: DelayedGrant,
): Promise<void> {
  const text = JSON.stringify(origin satisfies Origin);
  await redis.ask((client) => client.hsetnx(DELAYED_ORIGINS, account, text));
  await redis.ask((client) => client.zadd(DELAYED_GRANTS, 'NX', dueAtMs, account));
}

export async function delayedGrant(
  redis: RedisConnection,
  account: AccountId,
): Promise<DelayedGrant | undefined> {
  const due = await redis.ask((client) => client.zscore(DELAYED_GRANTS, account));
  if (due === null) return undefined;
  return delayOf(Number(due), await redis.ask((client) => client.hget(DELAYED_ORIGINS, account)));
}

export async function dueGrants(redis: RedisConnection, nowMs: number): Promise<DueGrant[]> {
  const flat = await redis.ask((client) =>
    client.zrangebyscore(DELAYED_GRANTS, '-inf', nowMs, 'WITHSCORES'),
  );
  if (flat.length === 0) return [];
  const accounts: readonly AccountId[] = flat.filter((_, i) => i % 2 === 0);
  const origins = await redis.ask((client) => client.hmget(DELAYED_ORIGINS, ...accounts));
  const due = accounts.map((account, i) => ({
    account,
    ...delayOf(Number(flat[2 * i + 1]), origins[i]),
  }));
  return due.sort((a, b) => a.orderMs - b.orderMs || (a.account < b.account ? -1 : 1));
}

export async function endDelay(redis: RedisConnection, account: AccountId): Promise<void> {
  await redis.ask((client) => client.zrem(DELAYED_GRANTS, account));
  await redis.ask((client) => client.hdel(DELAYED_ORIGINS, account));
}

type Origin = Omit<DelayedGrant, 'dueAtMs'>;

/** A delay as recorded; earlier versions recorded its time alone. */
function delayOf(dueAtMs: number, text: string | null): DelayedGrant {
  const origin: Origin = text === null ? delaySince(dueAtMs) : JSON.parse(text);
  return { ...origin, dueAtMs };
}

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
