import { workerData } from 'piscina';
import { sendingErrors } from '../threads/sent-errors.ts';
import { type ChunkRequest, ChunkSearch } from './search-chunk.ts';
import type { SearchWorld } from './search-world.ts';

const search = new ChunkSearch(workerData as SearchWorld);

/** The work of a search pool's thread for each chunk. */
export default sendingErrors((request: ChunkRequest) => search.run(request));
