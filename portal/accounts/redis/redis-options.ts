import type { RedisOptions } from 'ioredis';
import type { RedisAddress } from '../ledger-address.ts';

/** What an address says, as ioredis takes it; of sentinels and clusters all but the hosts. */
export function redisOptions(address: RedisAddress): RedisOptions {
  const { kind, hosts, username, password, isEncrypted, database } = address;
  return {
    ...{ username, password, tls: isEncrypted ? {} : undefined, db: database },
    ...(kind === 'redis' && hosts[0]),
  };
}
