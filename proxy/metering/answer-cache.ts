import { LRUCache } from 'lru-cache';

/** A finished answer: its bytes, and the rows it is charged for. */
export interface CachedAnswer {
  readonly body: Buffer;
  readonly rows: number;
}

const ENTRY_OVERHEAD_BYTES = 200;

/**
 * Finished answers by ETag. An ETag is a hash of everything that decides an answer, so an entry is
 * never stale; requests for the same answer at the same time share its making.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, CachedAnswer> | null;
  readonly #underWay = new Map<string, Promise<CachedAnswer>>();

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
  get(etag: string): CachedAnswer | undefined {
    return this.#answers?.get(etag);
  }

  /** The answer, made if need be. One that fails is not kept. */
  make(etag: string, make: () => Promise<CachedAnswer>): Promise<CachedAnswer> {
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
