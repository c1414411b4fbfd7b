import { workerData } from 'piscina';
import { type ChunkRequest, type ChunkResult, ChunkSearch } from './search-chunk.ts';
import type { SearchWorld } from './search-world.ts';

const search = new ChunkSearch(workerData as SearchWorld);

/** What a thread of the search pool runs for each chunk. */
export default function run(request: ChunkRequest): ChunkResult {
  return search.run(request);
}
