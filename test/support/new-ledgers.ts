import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from './redis-server.ts';
import { folderOfTests } from './temporary-folder.ts';

/** Addresses of new and empty LMDB ledgers, whose folders go when the tests of the file have run. */
export function newLmdbLedgers(): () => string {
  const folder = folderOfTests();
  let ledgers = 0;
  return () => `lmdb:${path.join(folder, String(ledgers++))}`;
}

/** The same on Redis: databases of one server, which ends when the tests of the file have run. */
export function newRedisLedgers(): () => string {
  let redis: RedisServer;
  let databases = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  return () => redis.address(databases++);
}
