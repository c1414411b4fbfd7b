/** An entry takes so many bytes while it waits, and as many again while it is sorted. */
export const BYTES_AN_ENTRY = 2 * (4 + 4 + 2 + 1);

/**
 * Entries of a matrix on their way to being turned around: target, mode, origin, time. A fixed
 * number of them; `sortedByTarget` gives them target by target, as they came within each.
 */
export class EntryBuffer {
  readonly capacity: number;
  count = 0;
  readonly target: Uint32Array;
  readonly origin: Uint32Array;
  readonly time: Uint16Array;
  readonly mode: Uint8Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.target = new Uint32Array(capacity);
    this.origin = new Uint32Array(capacity);
    this.time = new Uint16Array(capacity);
    this.mode = new Uint8Array(capacity);
  }

  add(target: number, mode: number, origin: number, time: number): void {
    const at = this.count++;
    this.target[at] = target;
    this.mode[at] = mode;
    this.origin[at] = origin;
    this.time[at] = time;
  }

  /**
   * Entries by (target, mode), in the order they were added within each: a counting sort. `groups`
   * of target `t` and mode `m` begin at `first[t × modes + m]`.
   */
  sortedByTarget(targets: number, modes: number) {
    const first = new Uint32Array(targets * modes + 1);
    for (let i = 0; i < this.count; i++) first[this.target[i] * modes + this.mode[i] + 1]++;
    for (let g = 0; g < targets * modes; g++) first[g + 1] += first[g];
    const next = first.slice();
    const origins = new Uint32Array(this.count);
    const times = new Uint16Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const at = next[this.target[i] * modes + this.mode[i]]++;
      origins[at] = this.origin[i];
      times[at] = this.time[i];
    }
    return { first, origins, times };
  }
}
