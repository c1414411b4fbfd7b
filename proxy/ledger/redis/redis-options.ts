import type { RedisOptions } from 'ioredis';
import type { RedisAddress } from '../ledger-address.ts';

/** Converts an address to ioredis options; for sentinels and clusters, everything but the hosts. */
export function redisOptions(address: RedisAddress): RedisOptions {
  const { kind, hosts, username, password, isEncrypted, database } = address;
  return {
    username,
    password,
    tls: isEncrypted ? {} : undefined,
    db: database,
    ...(kind === 'redis' && hosts[0]),
  };
}
