import path from 'node:path';
import { startRedis } from '../support/redis-server.ts';
import type { Built } from './built.ts';
import { contest } from './contest.ts';
import { figure } from './figure.ts';
import { openAccountsOn, startServiceOn } from './service.ts';
import { busyBlock } from './serving.ts';
import type { Target } from './wrk.ts';

const ROUNDS = 3;
const MANY = 100_000;
/** One account per connection: no request waits for another's debit. */
const FEW = 64;

/**
 * Measures authorisation and debit as served: a hot summary over a SQLite ledger, in turn with one
 * over a Redis that keeps every write (`appendfsync always`), with few accounts and with many.
 */
export async function benchLedger({ store, release, folder }: Built): Promise<void> {
  const redis = await startRedis();
  const at = { path: `/v1/blocks/${await busyBlock(release)}/summary` };
  const addresses = {
    sqlite: `sqlite:${path.join(folder, 'ledger-sqlite')}`,
    redis: redis.address(),
  };
  const services: { stop(): Promise<unknown> }[] = [];
  const contestantOn = async (name: keyof typeof addresses) => {
    const began = performance.now();
    const keys = await openAccountsOn(addresses[name], MANY);
    figure(`ledger.open_accounts.${name}`, MANY / ((performance.now() - began) / 1000), '1/s');
    const service = await startServiceOn(store, addresses[name]);
    services.push(service);
    const targets: Target[] = keys.map((key) => ({ ...at, key }));
    return {
      few: { address: service.address, targets: targets.slice(0, FEW) },
      many: { address: service.address, targets },
    };
  };
  try {
    const onSqlite = await contestantOn('sqlite');
    const onRedis = await contestantOn('redis');
    const contestants = {
      sqlite: onSqlite.few,
      redis: onRedis.few,
      sqlite_100k: onSqlite.many,
      redis_100k: onRedis.many,
    };
    const over = [
      ['redis', 'sqlite'],
      ['redis_100k', 'sqlite_100k'],
      ['redis_100k', 'redis'],
    ] as const;
    await contest('ledger', contestants, over, ROUNDS);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await redis.stop();
  }
}
