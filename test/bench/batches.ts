import path from 'node:path';
import { Random } from '../../infra/demo/seeded-random.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { openAccounts, startService } from './service.ts';
import { type Measured, placePagePaths, someBlocks } from './targets.ts';
import { load, type Target } from './wrk.ts';

const ORIGINS = 250;
const BATCHES = 20;
const PAGES = 50;
const SECONDS = 5;
const SEED = 20_260_103;

/**
 * Measures the largest responses, to one client at a time, with warm caches: batches of 250
 * origins, and pages of 1,000 rows of an area.
 */
export async function benchBatches({ store, release, places, folder }: Built): Promise<void> {
  const ledger = path.join(folder, 'batches-ledger');
  const [key] = await openAccounts(ledger, 1);
  const { address, stop } = await startService(store, ledger);
  try {
    const measured = { release, places, address, key };
    await oneByOne('batch.summary_250_origins', 150, address, await summaryBatches(measured));
    await oneByOne('page.place_blocks_1000_rows', 30, address, await placePages(measured));
  } finally {
    await stop();
  }
}

async function summaryBatches({ release, key }: Measured): Promise<Target[]> {
  const blocks = await someBlocks(release, Infinity);
  const random = new Random(SEED);
  return Array.from({ length: BATCHES }, () => {
    const origins = random.shuffle(blocks).slice(0, ORIGINS);
    return { path: '/v1/blocks/summary', key, body: JSON.stringify({ origins }) };
  });
}

async function placePages(measured: Measured): Promise<Target[]> {
  const paths = await placePagePaths(measured);
  return paths.slice(0, PAGES).map((path) => ({ path, key: measured.key }));
}

async function oneByOne(
  name: string,
  wantedMs: number,
  address: string,
  targets: readonly Target[],
): Promise<void> {
  const options = { seconds: SECONDS, connections: 1 };
  await load(address, targets, options);
  const { p50, p99, requests } = await load(address, targets, options);
  figure(name, p50, 'ms', { p99_ms: p99, wanted_ms: wantedMs, requests, targets: targets.length });
}
