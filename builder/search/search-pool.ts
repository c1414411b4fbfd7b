import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import { type ChunkRequest, type ChunkResult, ChunkSearch } from './search-chunk.ts';
import type { SearchRegion } from './search-region.ts';

export type SearchPool = Pool<ChunkRequest, ChunkResult>;

export function openWork(region: SearchRegion): (request: ChunkRequest) => ChunkResult {
  const search = new ChunkSearch(region);
  return (request) => search.run(request);
}

/**
 * Opens a pool of threads over one shared region. With one thread, the calling thread searches.
 * Otherwise, threads run compiled code, so request only one when running from source.
 */
export function openSearchPool(region: SearchRegion, threads: number): SearchPool {
  return threads > 1
    ? openThreads(new URL('./search-pool.js', import.meta.url), threads, shareArrays(region))
    : thisThread(openWork(region));
}
