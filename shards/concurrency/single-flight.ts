import type { Millis } from '../units.ts';
import { SHARED, type Waiters, WaitingGroup } from './fair-queue.ts';

/** Storage for computed values: a `Map`, or a `CostAwareCache` that evicts. */
interface ValueCache<K, V> {
  get(key: K): V | undefined;
  /** `costMs`: how long the value took to compute. */
  set(key: K, value: V, costMs: Millis): unknown;
}

interface Flight<V> {
  readonly promise: Promise<V>;
  readonly group: WaitingGroup;
}

/**
 * Computes a value once per key and caches it. Concurrent callers share one computation; a failure
 * is not cached.
 */
export class SingleFlight<K, V> {
  readonly #kept: ValueCache<K, V> | null;
  readonly #underWay = new Map<K, Flight<V>>();
  /** Number of cache hits. */
  hits = 0;
  /** Number of callers that joined a running computation. */
  shared = 0;
  /** Number of computations. */
  computed = 0;

  /** `null` disables caching; concurrent calls are still shared. */
  constructor(kept: ValueCache<K, V> | null) {
    this.#kept = kept;
  }

  /** The cached value, if present. */
  get(key: K): V | undefined {
    const value = this.#kept?.get(key);
    if (value !== undefined) this.hits++;
    return value;
  }

  /**
   * Returns the cached value, or computes it on behalf of the given waiters and all that join
   * before it is done.
   */
  getOrCompute(
    key: K,
    compute: (group: WaitingGroup) => Promise<V>,
    waiters: Waiters = SHARED,
  ): Promise<V> {
    const value = this.get(key);
    if (value !== undefined) return Promise.resolve(value);
    const underWay = this.#underWay.get(key);
    if (underWay === undefined) return this.#begin(key, compute, new WaitingGroup(waiters));
    this.shared++;
    underWay.group.join(waiters);
    return underWay.promise;
  }

  #begin(key: K, compute: (group: WaitingGroup) => Promise<V>, group: WaitingGroup): Promise<V> {
    this.computed++;
    const begunMs = performance.now();
    const promise = compute(group).then(
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
    this.#underWay.set(key, { promise, group });
    return promise;
  }
}
