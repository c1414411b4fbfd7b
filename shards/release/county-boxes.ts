import Flatbush from 'flatbush';
import { edgesOf } from '../geometry/wgs84.ts';
import type { BoundingBox } from '../units.ts';

/** Finds which of many counties have a box that meets others, without looking at all of them. */
export class CountyBoxes<C> {
  readonly #counties: readonly C[];
  readonly #tree: Flatbush | null;

  /** `boxOf` gives a county's box, or null if it is to be found nowhere. */
  constructor(counties: readonly C[], boxOf: (county: C) => BoundingBox | null) {
    const placed = counties.flatMap((county) => {
      const box = boxOf(county);
      return box ? [{ county, box }] : [];
    });
    this.#counties = placed.map(({ county }) => county);
    this.#tree = placed.length === 0 ? null : new Flatbush(placed.length);
    for (const { box } of placed) this.#tree!.add(...edgesOf(box));
    this.#tree?.finish();
  }

  /** The counties whose box meets any of some boxes, each once, in the order they were given in. */
  meeting(boxes: readonly BoundingBox[]): C[] {
    const found = new Set<number>();
    for (const box of boxes) {
      for (const i of this.#tree?.search(...edgesOf(box)) ?? []) found.add(i);
    }
    return [...found].sort((a, b) => a - b).map((i) => this.#counties[i]);
  }
}
