import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../shards/single-flight.ts';
import type { Bytes } from '../../shards/units.ts';

/** A finished answer: its bytes as they are sent, and what it costs. */
export interface FinishedAnswer {
  readonly body: Buffer;
  /** Null: there is nothing to send, 204. */
  readonly contentType: string | null;
  readonly contentEncoding: 'gzip' | null;
  readonly tokens: number;
  /** Headers by name: what is said beside the rows. */
  readonly beside: Readonly<Record<string, string>>;
}

const ENTRY_OVERHEAD_BYTES = 300;

/**
 * Finished answers by ETag. An ETag is a hash of everything that decides an answer, so an entry is
 * never stale; requests for the same answer at the same time share its making.
 */
export class AnswerCache extends SingleFlight<string, FinishedAnswer> {
  constructor(maxBytes: Bytes) {
    super(maxBytes === 0 ? null : new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf }));
  }
}

function bytesOf({ body }: FinishedAnswer): Bytes {
  return body.length + ENTRY_OVERHEAD_BYTES;
}
