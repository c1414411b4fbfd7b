import type { AccountId } from '../accounts.ts';
import type { RedisConnection } from './connection.ts';
import { DELAYED_GRANTS, reservationEntry } from './key-names.ts';
import { fleeting } from './script.ts';

export function reserve(
  redis: RedisConnection,
  subject: string,
  { limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number },
  nowMs: number,
): Promise<number> {
  const key = reservationEntry(subject);
  return redis.run(RESERVE, [key], [limit, windowSeconds * 1000, nowMs]);
}

export async function delayGrant(
  redis: RedisConnection,
  account: AccountId,
  dueAtMs: number,
): Promise<void> {
  await redis.ask((client) => client.zadd(DELAYED_GRANTS, 'NX', dueAtMs, account));
}

export async function delayedUntil(
  redis: RedisConnection,
  account: AccountId,
): Promise<number | undefined> {
  const due = await redis.ask((client) => client.zscore(DELAYED_GRANTS, account));
  return due === null ? undefined : Number(due);
}

export function dueGrants(
  redis: RedisConnection,
  nowMs: number,
  limit: number,
): Promise<AccountId[]> {
  return redis.ask((client) =>
    client.zrangebyscore(DELAYED_GRANTS, '-inf', nowMs, 'LIMIT', 0, limit),
  );
}

export async function endDelay(redis: RedisConnection, account: AccountId): Promise<void> {
  await redis.ask((client) => client.zrem(DELAYED_GRANTS, account));
}

/** Makes a reservation, as `reserved` does. */
const RESERVE = fleeting<number>(
  `
local limit, length, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local last, ends = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
last, ends = tonumber(last) or now, tonumber(ends) or now
local from = math.max(now, ends - math.max(0, last - now))
local spacing = length / limit
local whole = math.ceil(from + spacing)
redis.call('SET', KEYS[1], string.format('%.0f %.0f', now, whole), 'PX', whole - now)
return math.max(now, math.ceil(from + spacing - length))`,
);
