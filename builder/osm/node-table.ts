/**
 * The nodes that something in the file refers to: which they are is known before where they are.
 * Flat arrays, ascending by id.
 */
export class NodeTable {
  readonly ids: Float64Array;
  /** Degrees; NaN until the node was met, and for good if the file lacks it. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** What `nodeTraits` packed. */
  readonly traits: Uint8Array;
  /** 1 where the node is a gate or an entrance. */
  readonly gate: Uint8Array;
  #cursor = 0;

  /** `references` in any order, repeats welcome. They are sorted in place. */
  constructor(references: Float64Array) {
    references.sort();
    let count = 0;
    for (let i = 0; i < references.length; i++) {
      if (i === 0 || references[i] !== references[i - 1]) references[count++] = references[i];
    }
    this.ids = references.slice(0, count);
    this.lon = new Float64Array(count).fill(Number.NaN);
    this.lat = new Float64Array(count).fill(Number.NaN);
    this.traits = new Uint8Array(count);
    this.gate = new Uint8Array(count);
  }

  /** The ordinal of an id, or -1. Ids asked for in ascending order cost a step each. */
  find(id: number): number {
    const { ids } = this;
    if (this.#cursor >= ids.length || ids[this.#cursor] > id) this.#cursor = 0;
    let low = this.#cursor;
    // Gallop from where the last one was: files are sorted, and so mostly are questions.
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

  isMissing(ordinal: number): boolean {
    return Number.isNaN(this.lon[ordinal]);
  }
}
