import type { Body } from '../../portal/http/content-encoding.ts';
import { type CacheBudget, CostAwareCache } from '../../shards/concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../../shards/concurrency/single-flight.ts';
import type { Bytes } from '../../shards/units.ts';
import type { SentHeader } from '../http/common-headers.ts';

/** A finished answer: its bytes as they are sent, and what it costs. */
export interface FinishedResponse {
  readonly body: Body;
  /** Null: there is nothing to send, 204. */
  readonly contentType: string | null;
  readonly contentEncoding: 'gzip' | null;
  readonly tokens: number;
  /** Metadata headers by name. */
  readonly beside: Readonly<Partial<Record<SentHeader, string>>>;
}

const ENTRY_OVERHEAD_BYTES = 300;

/**
 * Finished answers by ETag. An ETag is a hash of everything that decides an answer, so an entry is
 * never stale; requests for the same answer at the same time share its making.
 */
export class ResponseCache extends SingleFlight<string, FinishedResponse> {
  /**
   * Size and saved time; null if nothing is cached and concurrent requests only share computations.
   */
  readonly kept: Pick<CostAwareCache<string, FinishedResponse>, 'bytes' | 'savedMs'> | null;

  /** `maxBytes`: what answers may take of the memory, by default all. */
  constructor(memory: CacheBudget, maxBytes?: Bytes) {
    const kept = maxBytes === 0 ? null : new CostAwareCache(memory, bytesOf, maxBytes);
    super(kept);
    this.kept = kept;
  }
}

function bytesOf({ body }: FinishedResponse): Bytes {
  return body.length + ENTRY_OVERHEAD_BYTES;
}
