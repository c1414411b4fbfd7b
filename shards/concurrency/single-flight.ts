import type { Millis } from '../units.ts';
import { Turns } from './turns.ts';

/** Storage for computed values: a `Map`, or a `CostAwareCache` that evicts. */
interface ValueCache<K, V> {
  get(key: K): V | undefined;
  /** `costMs`: how long the value took to compute. */
  set(key: K, value: V, costMs: Millis): unknown;
}

interface Flight<V> {
  readonly promise: Promise<V>;
  readonly turns: Turns;
}

/**
 * Computes a value once per key and caches it. Concurrent callers share one computation; a failure
 * is not cached.
 */
export class SingleFlight<K, V> {
  readonly #kept: ValueCache<K, V> | null;
  readonly #underWay = new Map<K, Flight<V>>();
  hits = 0;
  shared = 0;
  computed = 0;

  /** `null` disables caching; concurrent calls are still shared. */
  constructor(kept: ValueCache<K, V> | null) {
    this.#kept = kept;
  }

  get(key: K): V | undefined {
    const value = this.#kept?.get(key);
    if (value !== undefined) this.hits++;
    return value;
  }

  /**
   * Returns the cached value, or computes it in the turns of the caller and of all that join before
   * it is done.
   */
  getOrCompute(
    key: K,
    compute: (turns: Turns) => Promise<V>,
    turns: Turns = Turns.SHARED,
  ): Promise<V> {
    const value = this.get(key);
    if (value !== undefined) return Promise.resolve(value);
    const underWay = this.#underWay.get(key);
    if (underWay === undefined) return this.#begin(key, compute, new Turns(turns));
    this.shared++;
    underWay.turns.join(turns);
    return underWay.promise;
  }

  #begin(key: K, compute: (turns: Turns) => Promise<V>, turns: Turns): Promise<V> {
    this.computed++;
    const begunMs = performance.now();
    const promise = compute(turns).then(
      (value) => {
        this.#underWay.delete(key);
        this.#kept?.set(key, value, performance.now() - begunMs);
        return value;
      },
      (error) => {
        this.#underWay.delete(key);
        throw error;
      },
    );
    this.#underWay.set(key, { promise, turns });
    return promise;
  }
}
