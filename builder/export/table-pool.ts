import type { Latest } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openManifest } from '../../shards/release/release-source.ts';
import { openStore } from '../../shards/store/open-store.ts';
import type { Bytes } from '../../shards/units.ts';
import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { type TableRequest, TableWriter } from './table-writer.ts';

/** The release whose tables a thread writes, and the array in which it reports progress. */
interface TableWorld {
  readonly location: string;
  readonly latest: Latest;
  /** Fraction of rows written per request, in memory that threads share. */
  readonly fractions: Float64Array;
  /** Memory for a thread's cache of the release. */
  readonly cacheBytes: Bytes;
}

/** Cache memory of all threads together, and the minimum for one thread. */
const CACHE_BYTES: Bytes = 2 ** 30;
const LEAST_CACHE_BYTES: Bytes = 2 ** 26;

type TablePool = Pool<TableRequest, number>;

export async function openWork({ location, latest, fractions, cacheBytes }: TableWorld) {
  const release = await openManifest(
    await openStore(location),
    latest,
    new ReleaseCache(cacheBytes),
  );
  const writer = new TableWriter(release, fractions);
  return (request: TableRequest) => writer.write(request);
}

/**
 * Opens a pool of threads that write tables of a release. A single thread is the current one. More
 * threads open the store themselves, and run compiled code: when running from source, request one.
 */
export function openTablePool(
  release: Release,
  fractions: Float64Array,
  threads: number,
): TablePool {
  if (threads === 1) {
    const writer = new TableWriter(release, fractions);
    return thisThread((request) => writer.write(request));
  }
  const { store, latest } = release;
  const cacheBytes = Math.max(LEAST_CACHE_BYTES, CACHE_BYTES / threads);
  const world: TableWorld = { location: store.location, latest, fractions, cacheBytes };
  return openThreads(new URL('./table-pool.js', import.meta.url), threads, world);
}
