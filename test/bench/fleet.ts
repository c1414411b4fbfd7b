import path from 'node:path';
import { startRedis } from '../support/redis-server.ts';
import { startRgw } from '../support/rgw.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { copyToBucket } from './bucket-copy.ts';
import type { Built } from './built.ts';
import { figure, median } from './figure.ts';
import { processorSeconds } from './processor-time.ts';
import { openAccountsOn, startServiceOn } from './service.ts';
import { busyBlock } from './serving.ts';
import { type Measured, ROUTES } from './targets.ts';
import { CONNECTIONS, type Load, load, type Target } from './wrk.ts';

const ACCOUNTS = 64;
const SECONDS = 2;
const CONCURRENCY = [1, 8, 64, 256];
const ROUNDS = 3;
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

/** A service, and its backends. */
interface Fleet {
  readonly store: 'folder' | 's3';
  readonly ledger: 'sqlite' | 'redis';
  readonly processes: number;
}

const ONE: Fleet = { store: 'folder', ledger: 'sqlite', processes: 1 };
const FLEETS: readonly Fleet[] = [
  ONE,
  { ...ONE, processes: 2 },
  { ...ONE, store: 's3' },
  { ...ONE, ledger: 'redis' },
  { store: 's3', ledger: 'redis', processes: 2 },
];

/** Starts a fleet, and stops it once it has been measured. */
type WithFleet = (
  fleet: Fleet,
  env: Readonly<Record<string, string>>,
  measure: (service: ServerProcess, keys: readonly string[]) => Promise<void>,
) => Promise<void>;

/**
 * Measures rate and latency of each kind of route at rising concurrency, on folder and S3, SQLite
 * and Redis, with one process and two, and the cost of a million such requests; then the gain of
 * two processes over one.
 */
export async function benchFleet({ store, release, places, folder }: Built): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const redis = await startRedis();
    stops.unshift(() => redis.stop());
    const rgw = await startRgw();
    stops.unshift(() => rgw.stop());
    const stores = { folder: store, s3: await copyToBucket(rgw, store, READ) };
    const ledgers = {
      sqlite: `sqlite:${path.join(folder, 'fleet-ledger')}`,
      redis: redis.address(),
    };
    const keys = {
      sqlite: await openAccountsOn(ledgers.sqlite, ACCOUNTS),
      redis: await openAccountsOn(ledgers.redis, ACCOUNTS),
    };
    const withFleet: WithFleet = async (fleet, env, measure) => {
      const all = { ...rgw.env, ...env };
      const at = [stores[fleet.store], ledgers[fleet.ledger]] as const;
      const service = await startServiceOn(...at, all, fleet.processes);
      try {
        await measure(service, keys[fleet.ledger]);
      } finally {
        await service.stop();
      }
    };
    for (const fleet of FLEETS) await benchRoutes(fleet, { release, places }, withFleet);
    await benchTwoOverOne(await busyBlock(release), withFleet);
  } finally {
    for (const stop of stops) await stop();
  }
}

/**
 * Measures routes without response caching, since cached responses cost the same on every store.
 */
function benchRoutes(
  fleet: Fleet,
  known: Pick<Measured, 'release' | 'places'>,
  withFleet: WithFleet,
): Promise<void> {
  return withFleet(fleet, { RESPONSE_CACHE_BYTES: '0' }, async ({ address, pid }, keys) => {
    for (const [route, pathsOf] of Object.entries(ROUTES)) {
      const paths = await pathsOf({ ...known, address, key: keys[0] });
      const targets = paths.map((path, i): Target => ({ path, key: keys[i % keys.length] }));
      await load(address, targets, { seconds: SECONDS });
      for (const connections of CONCURRENCY) {
        const measured = await loadWith(pid, address, targets, connections);
        const { rate, p50, p99, processorMicros } = measured;
        figure(`fleet.${route}`, rate, '1/s', {
          ...fleet,
          connections,
          p50_ms: p50,
          p99_ms: p99,
          processor_us_a_request: Math.round(processorMicros),
          dollars_a_million: dollarsOf(measured, fleet),
        });
      }
    }
  });
}

/**
 * Measures a hot summary with one process and with two. The load generator uses cores here that it
 * would not use elsewhere. So besides the ratio of rates, this prints an estimate without the
 * generator: twice the processor time of a request with one process, over that with two.
 */
async function benchTwoOverOne(block: string, withFleet: WithFleet): Promise<void> {
  const ratios: number[] = [];
  const aside: number[] = [];
  const busy: number[] = [];
  await withFleet(ONE, {}, (one, keys) =>
    withFleet({ ...ONE, processes: 2 }, {}, async (two) => {
      const targets = keys.map((key): Target => ({ path: `/v1/blocks/${block}/summary`, key }));
      for (let round = 0; round <= ROUNDS; round++) {
        const byOne = await loadWith(one.pid, one.address, targets, CONNECTIONS);
        const byTwo = await loadWith(two.pid, two.address, targets, CONNECTIONS);
        // The first round warms up.
        if (round === 0) continue;
        ratios.push(byTwo.rate / byOne.rate);
        aside.push((2 * byOne.processorMicros) / byTwo.processorMicros);
        busy.push((byTwo.rate * byTwo.processorMicros) / 1e6);
      }
    }),
  );
  figure('fleet.two_over_one', median(ratios), 'ratio', {
    generator_aside: Number(median(aside).toPrecision(4)),
    wanted: 1.7,
    cores_of_the_service: Number(median(busy).toPrecision(3)),
  });
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
function dollarsOf({ processorMicros, bytes, requests }: LoadOfService, { store }: Fleet): number {
  const processors = (processorMicros / 3600) * PRICES.coreHour;
  const reads = store === 's3' ? PRICES.millionReads : 0;
  const transfer = (bytes / requests / 1e3) * PRICES.gigabyteOut;
  return Number((processors + reads + transfer).toPrecision(3));
}
