import type { Bytes, CountyPoi } from '../../shards/units.ts';

/** What the texts of a place take beside its own strings, in the format that says most. */
const BYTES_A_POI: Bytes = 350;

/** Texts that rows have of the places of a county: each is made once, when it is first asked for. */
export class KeptTexts<T> {
  readonly #texts: (T | undefined)[];
  readonly #make: (poi: CountyPoi) => T;

  constructor(count: number, make: (poi: CountyPoi) => T) {
    this.#texts = new Array(count).fill(undefined);
    this.#make = make;
  }

  of(poi: CountyPoi): T {
    const known = this.#texts[poi];
    if (known !== undefined) return known;
    const made = this.#make(poi);
    this.#texts[poi] = made;
    return made;
  }

  /** About the memory that it comes to; `ownBytes`: those of the places' strings. */
  bytesAtMost(ownBytes: Bytes): Bytes {
    return this.#texts.length * BYTES_A_POI + ownBytes;
  }
}
