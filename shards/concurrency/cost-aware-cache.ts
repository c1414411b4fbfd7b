import FlatQueue from 'flatqueue';
import type { Bytes, Millis } from '../units.ts';

/** What is kept, and what it is worth keeping. */
interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly bytes: Bytes;
  readonly costMs: Millis;
  uses: number;
  /** What goes first has the least: see `SharedMemory`. */
  priority: number;
}

/** What is told of a cache, and what its memory asks of it. */
interface Evictable {
  readonly bytes: Bytes;
  /** The priority of what would go next; `undefined` when it is empty. */
  least(): number | undefined;
  evict(): void;
}

/**
 * Memory that several caches share. What goes when it is full is what saves least, whosever it is:
 * that which costs least to make again, for its bytes and as often as it has been asked for
 * (GreedyDual-Size-Frequency: Cherkasova 1998). What was asked for long ago ages against what comes
 * in, since that begins where the last that went stood.
 */
export class CacheBudget {
  readonly maxBytes: Bytes;
  readonly #caches: Evictable[] = [];
  /** The greatest priority of what has gone. */
  age = 0;

  constructor(maxBytes: Bytes) {
    this.maxBytes = maxBytes;
  }

  get bytes(): Bytes {
    return this.#caches.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Takes in a cache that is to share it. */
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

/**
 * What is made takes at least so long to make again, all told: also what is filled in as it is
 * used.
 */
const MS_A_BYTE = 1e-5;
/** A cache in memory that it shares with others. */
export class CostAwareCache<K, V> implements Evictable {
  readonly #memory: CacheBudget;
  readonly #bytesOf: (value: V) => Bytes;
  readonly #maxBytes: Bytes;
  readonly #entries = new Map<K, Entry<K, V>>();
  /** By a priority that each had: it has only grown since, and is seen to when it comes first. */
  readonly #queue = new FlatQueue<Entry<K, V>>();
  bytes: Bytes = 0;
  /** What making again what was at hand would have taken, in all. */
  savedMs: Millis = 0;

  /** `maxBytes`: what it may take of the memory. */
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
   * `costMs`: how long the value took to make. One that is larger than all there may be is not
   * kept.
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
    // What goes because of a bound of its cache may be worth more than what goes next.
    this.#memory.age = Math.max(this.#memory.age, first.priority);
    this.#forget(first);
  }

  /** What would go next, at the head of the queue. */
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
    const density = Math.max(costMs / bytes, MS_A_BYTE);
    return this.#memory.age + uses * density;
  }

  #forget({ key, bytes }: Entry<K, V>): void {
    this.#entries.delete(key);
    this.bytes -= bytes;
  }
}
