import { BandedArea } from '../../shards/geometry/banded-area.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import { type BoundingBox, type Degrees, MICRO } from '../../shards/units.ts';

/**
 * The area in which the street data claims to be complete: a box, and there one of some areas;
 * everywhere if not stated (null).
 */
export class CoveredArea {
  readonly #box: BoundingBox | null;
  readonly #outlines: readonly BandedArea[] | null;

  constructor(box: BoundingBox | null, outlines: readonly Area[] | null = null) {
    this.#box = box;
    this.#outlines = outlines?.map((area) => new BandedArea(ringsOf([area]))) ?? null;
  }

  /** Whether it contains a point, including those on an outline. */
  has(lon: Degrees, lat: Degrees): boolean {
    if (this.#box && !boxContains(this.#box, lon, lat)) return false;
    if (!this.#outlines) return true;
    return this.#outlines.some((area) => area.sideOf(lon * MICRO, lat * MICRO) !== 'outside');
  }
}
