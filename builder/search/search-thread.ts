import { workerData } from 'piscina';
import { sendingErrors } from '../threads/sent-errors.ts';
import { type ChunkRequest, ChunkSearch } from './search-chunk.ts';
import type { SearchWorld } from './search-world.ts';

const search = new ChunkSearch(workerData as SearchWorld);

/** What a thread of the search pool runs for each chunk. */
export default sendingErrors((request: ChunkRequest) => search.run(request));
