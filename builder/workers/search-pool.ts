import { Piscina } from 'piscina';
import { type ChunkRequest, type ChunkResult, ChunkSearch } from '../search/search-chunk.ts';
import { type SearchWorld, shareArrays } from '../search/search-world.ts';

/** Searches chunks, several at a time. */
export interface SearchPool {
  /** How many chunks it works on at once. */
  readonly width: number;
  run(request: ChunkRequest): Promise<ChunkResult>;
  close(): Promise<void>;
}

/**
 * Opens a pool of so many threads over one world, which they share; one thread is this one. The
 * threads run compiled code: from source, ask for one.
 */
export function openSearchPool(world: SearchWorld, threads: number): SearchPool {
  if (threads <= 1) {
    const search = new ChunkSearch(world);
    return { width: 1, run: async (request) => search.run(request), close: async () => {} };
  }
  const pool = new Piscina<ChunkRequest, ChunkResult>({
    filename: new URL('./search-thread.js', import.meta.url).href,
    workerData: shareArrays(world),
    minThreads: threads,
    maxThreads: threads,
  });
  return {
    width: threads,
    run: (request) => pool.run(request),
    close: () => pool.destroy(),
  };
}

/**
 * Runs requests on a pool and hands on results in the order of the requests, never holding more
 * than a few that wait for their turn.
 */
export async function inOrder(
  pool: SearchPool,
  requests: Iterable<ChunkRequest>,
  onResult: (result: ChunkResult, request: ChunkRequest) => void,
): Promise<void> {
  const underWay: { request: ChunkRequest; result: Promise<ChunkResult> }[] = [];
  const take = async () => {
    const { request, result } = underWay.shift()!;
    onResult(await result, request);
  };
  try {
    for (const request of requests) {
      const result = pool.run(request);
      // Awaited in turn; until then a failure must not count as unhandled.
      result.catch(() => {});
      underWay.push({ request, result });
      if (underWay.length > pool.width * 2) await take();
    }
    while (underWay.length > 0) await take();
  } finally {
    await Promise.allSettled(underWay.map(({ result }) => result));
  }
}
