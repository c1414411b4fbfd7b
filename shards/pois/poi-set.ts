import type { CountyPoi } from '../units.ts';

/** A subset of a county's POIs, one bit each. */
export class PoiSet {
  readonly #bits: Uint32Array;

  constructor(count: number) {
    this.#bits = new Uint32Array(Math.ceil(count / 32));
  }

  has(poi: CountyPoi): boolean {
    return ((this.#bits[poi >>> 5] >>> (poi & 31)) & 1) === 1;
  }

  add(poi: CountyPoi): void {
    this.#bits[poi >>> 5] |= 1 << (poi & 31);
  }

  addAll(other: PoiSet | undefined): void {
    if (!other) return;
    for (let i = 0; i < this.#bits.length; i++) this.#bits[i] |= other.#bits[i];
  }
}
