import { EVENT_LIFE_MS } from '../payment-events.ts';
import type { OnRedis, RedisConnection } from './connection.ts';
import { ANY_CLOSED_EVENT, closedEventIn, EVENTS } from './key-names.ts';
import { fleeting, script } from './script.ts';

export const storeEvent: OnRedis<'storeEvent'> = async (redis, event) => {
  const { id, receivedAtMs } = event;
  const keys = [EVENTS.open, EVENTS.records, EVENTS.closed(id)];
  return (await redis.run(KEEP_EVENT, keys, [id, receivedAtMs, JSON.stringify(event)])) === 1;
};

export const openEvents: OnRedis<'openEvents'> = async (redis, limit, offset = 0) => {
  if (limit < 1) return [];
  const most = Math.min(limit, MAX_EVENTS);
  const texts = await redis.run(
    OPEN_EVENTS,
    [EVENTS.open, EVENTS.records],
    [offset, offset + most - 1],
  );
  return texts.map((text) => JSON.parse(text));
};

export const closeEvent: OnRedis<'closeEvent'> = async (redis, id) => {
  await redis.run(CLOSE_EVENT, [EVENTS.open, EVENTS.records, EVENTS.closed(id)], [id]);
};

export async function* closedEvents(redis: RedisConnection): AsyncGenerator<string> {
  for await (const key of redis.keysLike(ANY_CLOSED_EVENT)) yield closedEventIn(key);
}

export const importClosedEvents: OnRedis<'importClosedEvents'> = async (redis, ids) => {
  await redis.run(IMPORT_CLOSED, [EVENTS.records, ...ids.map(EVENTS.closed)], ids);
};

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

const IMPORT_CLOSED = script<1>(
  `
for i, id in ipairs(ARGV) do
  if redis.call('HEXISTS', KEYS[1], id) == 0 then
    redis.call('SET', KEYS[i + 1], '', 'PX', ${EVENT_LIFE_MS}, 'NX')
  end
end
return 1`,
);

const CLOSE_EVENT = script<0 | 1>(
  `
local open, records, closed = KEYS[1], KEYS[2], KEYS[3]
if redis.call('HDEL', records, ARGV[1]) == 0 then return 0 end
redis.call('ZREM', open, ARGV[1])
redis.call('SET', closed, '', 'PX', ${EVENT_LIFE_MS})
return 1`,
);
