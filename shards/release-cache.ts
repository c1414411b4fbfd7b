import { LRUCache } from 'lru-cache';
import type { ObjectRef } from './store/store.ts';

/** What a reader keeps in memory, shared by the releases it passes through. */
export class ReleaseCache {
  readonly #heads: LRUCache<string, { value: object; bytes: number }>;
  readonly #inFlight = new Map<string, Promise<object>>();

  constructor(maxBytes: number) {
    this.#heads = new LRUCache({ maxSize: maxBytes, sizeCalculation: (head) => head.bytes });
  }

  /** The decoded head of an object; readers that ask at the same time share one load. */
  async head<T extends object>(
    ref: ObjectRef,
    load: () => Promise<{ value: T; bytes: number }>,
  ): Promise<T> {
    const cached = this.#heads.get(ref.name);
    if (cached) return cached.value as T;
    const underWay = this.#inFlight.get(ref.name);
    if (underWay) return underWay as Promise<T>;
    const loading = load()
      .then((head) => {
        this.#heads.set(ref.name, { value: head.value, bytes: Math.max(1, head.bytes) });
        return head.value;
      })
      .finally(() => this.#inFlight.delete(ref.name));
    this.#inFlight.set(ref.name, loading);
    return loading;
  }
}
