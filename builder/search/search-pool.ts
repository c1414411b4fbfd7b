import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import { type ChunkRequest, type ChunkResult, ChunkSearch } from './search-chunk.ts';
import type { SearchWorld } from './search-world.ts';

/** Searches chunks. */
export type SearchPool = Pool<ChunkRequest, ChunkResult>;

/**
 * Opens a pool of so many threads over one world, which they share; one thread is this one. The
 * threads run compiled code: from source, ask for one.
 */
export function openSearchPool(world: SearchWorld, threads: number): SearchPool {
  if (threads <= 1) {
    const search = new ChunkSearch(world);
    return thisThread((request) => search.run(request));
  }
  return openThreads(new URL('./search-thread.js', import.meta.url), threads, shareArrays(world));
}
