import { sumCounts } from '../../shards/arrays/prefix-sums.ts';

/** Bytes per entry: its group and value before sorting, and its value once sorted. */
export const BYTES_PER_ENTRY = 4 + 4 + 4;
/**
 * Maximum number of origins per filling, since an entry's value has 16 bits for the origin and as
 * many for the time.
 */
export const MAX_ORIGINS = 1 << 16;

/** Entries of one filling, target by target and mode by mode. */
interface SortedEntries {
  /** Values of target `t` and mode `m` begin at index `first[t × modes + m]`. */
  readonly first: Uint32Array;
  /** Origin × 2¹⁶ + time, in the order they were added within each target and mode. */
  readonly values: Uint32Array;
}

/**
 * A buffer for entries of a matrix to be transposed: target, mode, origin, time. Its memory is
 * reused for the next filling.
 */
export class EntryBuffer {
  #count = 0;
  #groups = new Uint32Array(0);
  #values = new Uint32Array(0);
  #sorted = new Uint32Array(0);
  #modes = 1;
  #targets = 0;

  /** Empties the buffer and makes room for `capacity` entries. */
  begin(capacity: number, targets: number, modes: number): void {
    this.#count = 0;
    this.#targets = targets;
    this.#modes = modes;
    if (capacity <= this.#groups.length) return;
    this.#groups = new Uint32Array(capacity);
    this.#values = new Uint32Array(capacity);
    this.#sorted = new Uint32Array(capacity);
  }

  /**
   * Adds the row of an origin, which is below `MAX_ORIGINS`. `ordinals[t]` is the ordinal of the
   * target that `targets` numbers `t`, or -1 if it is not wanted.
   */
  add(
    origin: number,
    mode: number,
    targets: Uint32Array,
    times: Uint16Array,
    ordinals: Int32Array,
  ): void {
    const groups = this.#groups;
    const values = this.#values;
    const modes = this.#modes;
    const high = origin << 16;
    let count = this.#count;
    for (let i = 0; i < targets.length; i++) {
      const wanted = ordinals[targets[i]];
      if (wanted < 0) continue;
      groups[count] = wanted * modes + mode;
      values[count++] = high | times[i];
    }
    this.#count = count;
  }

  /** Sorts the added entries by a counting sort. The result is valid until the next `begin`. */
  sort(): SortedEntries {
    const groups = this.#groups;
    const values = this.#values;
    const sorted = this.#sorted;
    const first = new Uint32Array(this.#targets * this.#modes + 1);
    for (let i = 0; i < this.#count; i++) first[groups[i] + 1]++;
    sumCounts(first);
    const next = first.slice();
    for (let i = 0; i < this.#count; i++) sorted[next[groups[i]]++] = values[i];
    return { first, values: sorted };
  }
}
