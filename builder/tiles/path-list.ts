import type { Rings } from '../../shards/geometry/rings.ts';

/** Lines or rings under construction, point by point, in units of a zoom. */
export class PathList {
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #firstPoint: number[] = [0];
  readonly #firstRing: number[] = [];

  /** Number of points of the open path, which has not been ended. */
  get openLength(): number {
    return this.#x.length - this.#start;
  }

  get openTwiceArea(): number {
    const [x, y, start] = [this.#x, this.#y, this.#start];
    let twice = 0;
    for (let i = start + 2; i < x.length; i++) {
      twice +=
        (x[i - 1] - x[start]) * (y[i] - y[start]) - (x[i] - x[start]) * (y[i - 1] - y[start]);
    }
    return twice;
  }

  get #start(): number {
    return this.#firstPoint[this.#firstPoint.length - 1];
  }

  /** Adds a point, unless it repeats the previous one. */
  add(x: number, y: number): void {
    const last = this.#x.length - 1;
    if (last >= this.#start && this.#x[last] === x && this.#y[last] === y) return;
    this.#x.push(x);
    this.#y.push(y);
  }

  /** Drops the last point of the open path if it repeats the first. */
  openRing(): void {
    const [last, start] = [this.#x.length - 1, this.#start];
    if (last <= start || this.#x[last] !== this.#x[start] || this.#y[last] !== this.#y[start]) {
      return;
    }
    this.#x.pop();
    this.#y.pop();
  }

  /** Makes the open path the shell of a polygon. */
  beginPolygon(): void {
    this.#firstRing.push(this.#firstPoint.length - 1);
  }

  end(): void {
    this.#firstPoint.push(this.#x.length);
  }

  /** Discards the open path. */
  drop(): void {
    this.#x.length = this.#start;
    this.#y.length = this.#start;
  }

  /** Returns all paths, each polygon as an area. */
  rings(): Rings {
    return {
      firstRing: Uint32Array.from([...this.#firstRing, this.#firstPoint.length - 1]),
      firstPoint: Uint32Array.from(this.#firstPoint),
      x: Int32Array.from(this.#x),
      y: Int32Array.from(this.#y),
    };
  }
}

/**
 * Lines in flat arrays. Line `l` has the points from `firstPoint[l]` to `firstPoint[l + 1]`,
 * exclusive.
 */
export type TileLines = Omit<Rings, 'firstRing'>;
