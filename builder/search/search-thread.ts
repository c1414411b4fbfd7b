import { workerData } from 'piscina';
import { sendingErrors } from '../threads/sent-errors.ts';
import { type ChunkRequest, ChunkSearch } from './search-chunk.ts';
import type { SearchRegion } from './search-region.ts';

const search = new ChunkSearch(workerData as SearchRegion);

/** Searches a chunk, in a thread of a search pool. */
export default sendingErrors((request: ChunkRequest) => search.run(request));
