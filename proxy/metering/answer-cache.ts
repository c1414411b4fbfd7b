import { LRUCache } from 'lru-cache';

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
export class AnswerCache {
  readonly #answers: LRUCache<string, FinishedAnswer> | null;
  readonly #underWay = new Map<string, Promise<FinishedAnswer>>();

  constructor(maxBytes: number) {
    this.#answers =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: (answer) => answer.body.length + ENTRY_OVERHEAD_BYTES,
          });
  }

  /** The answer if it is at hand. */
  get(etag: string): FinishedAnswer | undefined {
    return this.#answers?.get(etag);
  }

  /** The answer, made if need be. One that fails is not kept. */
  make(etag: string, make: () => Promise<FinishedAnswer>): Promise<FinishedAnswer> {
    const underWay = this.#underWay.get(etag);
    if (underWay) return underWay;
    const making = make()
      .then((answer) => {
        this.#answers?.set(etag, answer);
        return answer;
      })
      .finally(() => this.#underWay.delete(etag));
    this.#underWay.set(etag, making);
    return making;
  }
}
