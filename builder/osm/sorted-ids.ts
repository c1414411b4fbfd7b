/** Ids in a flat array, ascending and distinct, with a lookup of their positions. */
export class SortedIds {
  readonly ids: Float64Array;
  #cursor = 0;

  /** `ids` may be in any order and repeated. They are sorted in place. */
  constructor(ids: Float64Array) {
    ids.sort();
    let count = 0;
    for (let i = 0; i < ids.length; i++) {
      if (i === 0 || ids[i] !== ids[i - 1]) ids[count++] = ids[i];
    }
    this.ids = ids.slice(0, count);
  }

  /** Returns the ordinal of an id, or -1. Lookups in ascending order take about one step each. */
  find(id: number): number {
    const { ids } = this;
    if (this.#cursor >= ids.length || ids[this.#cursor] > id) this.#cursor = 0;
    let low = this.#cursor;
    // Gallop from the previous position, since files are sorted, and so are most lookups.
    let stride = 1;
    while (low + stride < ids.length && ids[low + stride] <= id) {
      low += stride;
      stride *= 2;
    }
    let high = Math.min(ids.length - 1, low + stride);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (ids[middle] <= id) low = middle;
      else high = middle - 1;
    }
    this.#cursor = low;
    return ids[low] === id ? low : -1;
  }

  has(id: number): boolean {
    return this.find(id) !== -1;
  }
}
