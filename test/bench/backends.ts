import path from 'node:path';
import { startRedis } from '../support/redis-server.ts';
import { startRgw } from '../support/rgw.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { copyToBucket } from './bucket-copy.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { processorSeconds } from './processor-time.ts';
import { openAccountsOn, startServiceOn } from './service.ts';
import { type Measured, ROUTES } from './targets.ts';
import { type Load, load, type Target } from './wrk.ts';

const ACCOUNTS = 64;
const SECONDS = 2;
const CONCURRENCY = [1, 8, 64, 256];
const GZIP = { 'Accept-Encoding': 'gzip' };
/** All objects that requests read, except tiles. */
const READ = /^(?!tiles\/|tile-sums\/|receipts\/|regions\/)/;

/**
 * Prices of a rented service, in dollars: on demand in us-east-1, as published in 2026, for
 * c7g.large with two cores, reads of S3 Standard, and transfer to the internet.
 */
const PRICES = {
  coreHour: 0.0725 / 2,
  millionReads: 0.4,
  gigabyteOut: 0.09,
};

/** The kinds of backends of a service. */
interface Backends {
  readonly store: 'folder' | 's3';
  readonly ledger: 'sqlite' | 'redis';
}

const ALL: readonly Backends[] = [
  { store: 'folder', ledger: 'sqlite' },
  { store: 's3', ledger: 'sqlite' },
  { store: 'folder', ledger: 'redis' },
  { store: 's3', ledger: 'redis' },
];

/**
 * Measures rate and latency of each kind of route at rising concurrency, on folder and S3, SQLite
 * and Redis, and the cost of a million such requests. Responses are not cached, since cached ones
 * cost the same on every store.
 */
export async function benchBackends({ store, release, places, folder }: Built): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const redis = await startRedis();
    stops.unshift(() => redis.stop());
    const rgw = await startRgw();
    stops.unshift(() => rgw.stop());
    const stores = { folder: store, s3: await copyToBucket(rgw, store, READ) };
    const ledgers = {
      sqlite: `sqlite:${path.join(folder, 'backends-ledger')}`,
      redis: redis.address(),
    };
    const keys = {
      sqlite: await openAccountsOn(ledgers.sqlite, ACCOUNTS),
      redis: await openAccountsOn(ledgers.redis, ACCOUNTS),
    };
    const env = { ...rgw.env, RESPONSE_CACHE_BYTES: '0' };
    for (const backends of ALL) {
      const at = [stores[backends.store], ledgers[backends.ledger]] as const;
      const service = await startServiceOn(...at, env);
      try {
        await benchRoutes(backends, { release, places }, service, keys[backends.ledger]);
      } finally {
        await service.stop();
      }
    }
  } finally {
    for (const stop of stops) await stop();
  }
}

async function benchRoutes(
  backends: Backends,
  known: Pick<Measured, 'release' | 'places'>,
  { address, pid }: ServerProcess,
  keys: readonly string[],
): Promise<void> {
  for (const [route, pathsOf] of Object.entries(ROUTES)) {
    const paths = await pathsOf({ ...known, address, key: keys[0] });
    const targets = paths.map((path, i): Target => ({ path, key: keys[i % keys.length] }));
    await load(address, targets, { seconds: SECONDS });
    for (const connections of CONCURRENCY) {
      const measured = await loadWith(pid, address, targets, connections);
      const { rate, p50, p99, processorMicros } = measured;
      figure(`backends.${route}`, rate, '1/s', {
        ...backends,
        connections,
        p50_ms: p50,
        p99_ms: p99,
        processor_us_a_request: Math.round(processorMicros),
        dollars_a_million: dollarsOf(measured, backends),
      });
    }
  }
}

interface LoadOfService extends Load {
  /** Processor time of the service alone, per request. */
  readonly processorMicros: number;
}

async function loadWith(
  pid: number,
  address: string,
  targets: readonly Target[],
  connections: number,
): Promise<LoadOfService> {
  const before = await processorSeconds(pid);
  const measured = await load(address, targets, { seconds: SECONDS, connections, headers: GZIP });
  const seconds = (await processorSeconds(pid)) - before;
  return { ...measured, processorMicros: (seconds / measured.requests) * 1e6 };
}

/** Dollars for a million such requests: processor time as measured here, reads, and transfer. */
function dollarsOf(
  { processorMicros, bytes, requests }: LoadOfService,
  { store }: Backends,
): number {
  const processors = (processorMicros / 3600) * PRICES.coreHour;
  const reads = store === 's3' ? PRICES.millionReads : 0;
  const transfer = (bytes / requests / 1e3) * PRICES.gigabyteOut;
  return Number((processors + reads + transfer).toPrecision(3));
}
