import FlatQueue from 'flatqueue';
import type { Bytes, Millis } from '../units.ts';

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly bytes: Bytes;
  readonly costMs: Millis;
  uses: number;
  /** The entry with the lowest priority is evicted first: see `CacheBudget`. */
  priority: number;
}

interface Evictable {
  readonly bytes: Bytes;
  /** Priority of the next eviction candidate; `undefined` when empty. */
  least(): number | undefined;
  evict(): void;
}

/**
 * Memory shared by several caches. When it is full, the least valuable entry of all caches is
 * evicted: the cheapest to recompute relative to its size and frequency of use
 * (GreedyDual-Size-Frequency: Cherkasova 1998). Old popularity ages, since new entries start at the
 * priority of the last eviction.
 */
export class CacheBudget {
  readonly maxBytes: Bytes;
  readonly #caches: Evictable[] = [];
  age = 0;

  constructor(maxBytes: Bytes) {
    this.maxBytes = maxBytes;
  }

  get bytes(): Bytes {
    return this.#caches.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  add(cache: Evictable): void {
    this.#caches.push(cache);
  }

  makeRoom(): void {
    while (this.bytes > this.maxBytes) {
      let [first, least] = [this.#caches[0], Number.POSITIVE_INFINITY];
      for (const cache of this.#caches) {
        const priority = cache.least();
        if (priority !== undefined && priority < least) [first, least] = [cache, priority];
      }
      first.evict();
    }
  }
}

/** Minimum cost of recomputing a value, per byte, including lazily filled parts. */
const MS_PER_BYTE = 1e-5;
export class CostAwareCache<K, V> implements Evictable {
  readonly #memory: CacheBudget;
  readonly #bytesOf: (value: V) => Bytes;
  readonly #maxBytes: Bytes;
  readonly #entries = new Map<K, Entry<K, V>>();
  /**
   * Orders entries by a priority that may be outdated. Since priorities only grow, it is enough to
   * correct that of an entry at the head.
   */
  readonly #queue = new FlatQueue<Entry<K, V>>();
  bytes: Bytes = 0;
  savedMs: Millis = 0;

  /** `maxBytes`: this cache's share of the budget. */
  constructor(memory: CacheBudget, bytesOf: (value: V) => Bytes, maxBytes = memory.maxBytes) {
    this.#memory = memory;
    this.#bytesOf = bytesOf;
    this.#maxBytes = Math.min(maxBytes, memory.maxBytes);
    memory.add(this);
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.savedMs += entry.costMs;
    entry.uses++;
    entry.priority = this.#priorityOf(entry);
    return entry.value;
  }

  /**
   * Caches a value; `costMs` is how long it took to compute. Values larger than the whole allowance
   * are not cached.
   */
  set(key: K, value: V, costMs: Millis): void {
    const bytes = this.#bytesOf(value);
    const known = this.#entries.get(key);
    if (known) this.#forget(known);
    if (bytes > this.#maxBytes) return;
    const entry = { key, value, bytes, costMs, uses: 1, priority: 0 };
    entry.priority = this.#priorityOf(entry);
    this.#entries.set(key, entry);
    this.#queue.push(entry, entry.priority);
    this.bytes += bytes;
    while (this.bytes > this.#maxBytes) this.evict();
    this.#memory.makeRoom();
  }

  least(): number | undefined {
    return this.#first()?.priority;
  }

  evict(): void {
    const first = this.#first();
    if (!first) return;
    this.#queue.pop();
    // An entry evicted by its cache's own bound may be worth more than the next candidate.
    this.#memory.age = Math.max(this.#memory.age, first.priority);
    this.#forget(first);
  }

  #first(): Entry<K, V> | undefined {
    for (;;) {
      const entry = this.#queue.peek();
      const isKept = entry && this.#entries.get(entry.key) === entry;
      if (!entry || (isKept && entry.priority === this.#queue.peekValue())) return entry;
      this.#queue.pop();
      if (isKept) this.#queue.push(entry, entry.priority);
    }
  }

  #priorityOf({ uses, costMs, bytes }: Entry<K, V>): number {
    const density = Math.max(costMs / bytes, MS_PER_BYTE);
    return this.#memory.age + uses * density;
  }

  #forget({ key, bytes }: Entry<K, V>): void {
    this.#entries.delete(key);
    this.bytes -= bytes;
  }
}
