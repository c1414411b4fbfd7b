import Flatbush from 'flatbush';
import { edgesOf } from '../geometry/wgs84.ts';
import type { BoundingBox } from '../units.ts';

/** Finds the counties whose box intersects other boxes, without checking all of them. */
export class CountyBoxes<C> {
  readonly #counties: readonly C[];
  readonly #tree: Flatbush | null;

  /** `boxOf` returns a county's box, or null if it has none. */
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

  /**
   * The counties whose box intersects any of the given boxes, each once, in their original order.
   */
  meeting(boxes: readonly BoundingBox[]): C[] {
    const found = new Set<number>();
    for (const box of boxes) {
      for (const i of this.#tree?.search(...edgesOf(box)) ?? []) found.add(i);
    }
    return [...found].sort((a, b) => a - b).map((i) => this.#counties[i]);
  }
}
