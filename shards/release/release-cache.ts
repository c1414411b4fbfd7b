import { CacheBudget, CostAwareCache } from '../concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import type { Turns } from '../concurrency/turns.ts';
import type { Bytes } from '../units.ts';

export interface CachedValue<T extends object = object> {
  readonly value: T;
  readonly bytes: Bytes;
}

/** `byteLength` of a value is its use of memory, by which the cache is bounded. */
export function sized<T extends { readonly byteLength: Bytes }>(value: T): CachedValue<T> {
  return { value, bytes: value.byteLength };
}

/** Cache of a reader, shared by successive releases, with its read statistics. */
export class ReleaseCache {
  readonly loads: SingleFlight<string, CachedValue>;
  readonly #kept: CostAwareCache<string, CachedValue>;
  /**
   * Bytes fetched in addition to those requested: gaps between rows, the rest of a checked page.
   */
  readAlong: Bytes = 0;

  /** Uses a shared budget, or its own of the given size. */
  constructor(memory: CacheBudget | Bytes) {
    const shared = typeof memory === 'number' ? new CacheBudget(memory) : memory;
    this.#kept = new CostAwareCache(shared, ({ bytes }) => Math.max(1, bytes));
    this.loads = new SingleFlight(this.#kept);
  }

  /** Current size, and the total time saved by hits. */
  get kept(): Pick<CostAwareCache<string, CachedValue>, 'bytes' | 'savedMs'> {
    return this.#kept;
  }

  /** Returns the value of a key, or loads it; concurrent readers share one load. */
  async getOrLoad<T extends object>(
    key: string,
    load: (turns: Turns) => Promise<CachedValue<T>>,
    turns?: Turns,
  ): Promise<T> {
    const { value } = await this.loads.getOrCompute(key, load, turns);
    return value as T;
  }
}
