import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import { type ChunkRequest, type ChunkResult, ChunkSearch } from './search-chunk.ts';
import type { SearchRegion } from './search-region.ts';

/** A pool that searches chunks. */
export type SearchPool = Pool<ChunkRequest, ChunkResult>;

/**
 * Opens a pool of threads over one shared region. With one thread, the calling thread searches.
 * Otherwise, threads run compiled code, so request only one when running from source.
 */
export function openSearchPool(region: SearchRegion, threads: number): SearchPool {
  if (threads <= 1) {
    const search = new ChunkSearch(region);
    return thisThread((request) => search.run(request));
  }
  return openThreads(new URL('./search-thread.js', import.meta.url), threads, shareArrays(region));
}
