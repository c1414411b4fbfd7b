import { type CacheBudget, CostAwareCache } from '../../shards/concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../../shards/concurrency/single-flight.ts';
import type { Bytes } from '../../shards/units.ts';
import type { Body } from '../http/body.ts';
import type { SentHeader } from '../http/common-headers.ts';

export interface FinishedResponse {
  readonly body: Body;
  /** Null for an empty response: 204. */
  readonly contentType: string | null;
  readonly contentEncoding: 'gzip' | null;
  readonly tokens: number;
  readonly metadata: Readonly<Partial<Record<SentHeader, string>>>;
}

const ENTRY_OVERHEAD_BYTES = 300;

/**
 * Finished responses by `cacheKeyOf`, a hash of everything that determines a response, so an entry
 * is never stale. Concurrent requests for the same response share its computation.
 */
export class ResponseCache extends SingleFlight<string, FinishedResponse> {
  /**
   * Size and saved time of the cache; null if nothing is cached and concurrent requests only share
   * computations.
   */
  readonly kept: Pick<CostAwareCache<string, FinishedResponse>, 'bytes' | 'savedMs'> | null;

  /** `maxBytes`: the share of the memory for responses, by default all of it. */
  constructor(memory: CacheBudget, maxBytes?: Bytes) {
    const kept = maxBytes === 0 ? null : new CostAwareCache(memory, bytesOf, maxBytes);
    super(kept);
    this.kept = kept;
  }
}

function bytesOf({ body }: FinishedResponse): Bytes {
  return body.length + ENTRY_OVERHEAD_BYTES;
}
