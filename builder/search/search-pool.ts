import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import { type ChunkRequest, type ChunkResult, ChunkSearch } from './search-chunk.ts';
import type { SearchRegion } from './search-region.ts';

/** Searches chunks. */
export type SearchPool = Pool<ChunkRequest, ChunkResult>;

/**
 * Opens a pool of threads over one shared region; a single thread is this one. The threads run
 * compiled code: when running from source, request one.
 */
export function openSearchPool(region: SearchRegion, threads: number): SearchPool {
  if (threads <= 1) {
    const search = new ChunkSearch(region);
    return thisThread((request) => search.run(request));
  }
  return openThreads(new URL('./search-thread.js', import.meta.url), threads, shareArrays(region));
}
