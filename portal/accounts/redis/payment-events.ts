import { EVENT_LIFE_MS, type PaymentEvent } from '../payment-events.ts';
import type { RedisConnection } from './connection.ts';
import { EVENTS } from './key-names.ts';
import { fleeting, script } from './script.ts';

export async function storeEvent(redis: RedisConnection, event: PaymentEvent): Promise<boolean> {
  const { id, receivedAtMs } = event;
  const keys = [EVENTS.open, EVENTS.records, EVENTS.closed(id)];
  return (await redis.run(KEEP_EVENT, keys, [id, receivedAtMs, JSON.stringify(event)])) === 1;
}

/** Events not yet processed, oldest first. */
export async function openEvents(
  redis: RedisConnection,
  limit: number,
  offset = 0,
): Promise<PaymentEvent[]> {
  if (limit < 1) return [];
  const most = Math.min(limit, MAX_EVENTS);
  const texts = await redis.run(
    OPEN_EVENTS,
    [EVENTS.open, EVENTS.records],
    [offset, offset + most - 1],
  );
  return texts.map((text) => JSON.parse(text));
}

export async function closeEvent(redis: RedisConnection, id: string): Promise<void> {
  await redis.run(CLOSE_EVENT, [EVENTS.open, EVENTS.records, EVENTS.closed(id)], [id]);
}

/**
 * Maximum number of events per read. `unpack` fails near Lua's C stack limit of some 8,000 values;
 * this stays well below it.
 */
const MAX_EVENTS = 1_000;

const KEEP_EVENT = script<0 | 1>(
  `
local open, records, closed = KEYS[1], KEYS[2], KEYS[3]
if redis.call('EXISTS', closed) == 1 then return 0 end
if redis.call('HSETNX', records, ARGV[1], ARGV[3]) == 0 then return 0 end
redis.call('ZADD', open, ARGV[2], ARGV[1])
return 1`,
);

const OPEN_EVENTS = fleeting<string[]>(
  `
local ids = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2])
if #ids == 0 then return {} end
return redis.call('HMGET', KEYS[2], unpack(ids))`,
);

const CLOSE_EVENT = script<0 | 1>(
  `
local open, records, closed = KEYS[1], KEYS[2], KEYS[3]
if redis.call('HDEL', records, ARGV[1]) == 0 then return 0 end
redis.call('ZREM', open, ARGV[1])
redis.call('SET', closed, '', 'PX', ${EVENT_LIFE_MS})
return 1`,
);
