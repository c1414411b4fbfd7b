import { LRUCache } from 'lru-cache';
import { SingleFlight } from './single-flight.ts';
import type { ObjectRef } from './store/store.ts';
import type { Bytes } from './units.ts';

/** A decoded head, and the memory it takes. */
interface Head<T extends object = object> {
  readonly value: T;
  readonly bytes: Bytes;
}

/** What a reader keeps in memory, shared by the releases it passes through. */
export class ReleaseCache {
  readonly #heads: SingleFlight<string, Head>;

  constructor(maxBytes: Bytes) {
    const sizeCalculation = ({ bytes }: Head) => Math.max(1, bytes);
    this.#heads = new SingleFlight<string, Head>(
      new LRUCache({ maxSize: maxBytes, sizeCalculation }),
    );
  }

  /** The decoded head of an object; readers that ask at the same time share one load. */
  async head<T extends object>(ref: ObjectRef, load: () => Promise<Head<T>>): Promise<T> {
    const { value } = await this.#heads.make(ref.name, load);
    return value as T;
  }
}
