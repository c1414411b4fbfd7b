import type { TileRange } from './cut-into-tiles.ts';

/** A value for each non-empty tile of a range. */
export class TileGrid<T> {
  readonly #range: TileRange;
  readonly #rows: number;
  readonly #create: () => T;
  readonly #cells = new Map<number, T>();

  constructor(range: TileRange, create: () => T) {
    this.#range = range;
    this.#rows = range.south - range.north + 1;
    this.#create = create;
  }

  /** The value for a tile, created if absent. */
  at(x: number, y: number): T {
    const key = (x - this.#range.west) * this.#rows + (y - this.#range.north);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = this.#create();
      this.#cells.set(key, cell);
    }
    return cell;
  }

  *entries(): Generator<{ x: number; y: number; value: T }> {
    for (const [key, value] of this.#cells) {
      const x = this.#range.west + Math.floor(key / this.#rows);
      yield { x, y: this.#range.north + (key % this.#rows), value };
    }
  }
}
