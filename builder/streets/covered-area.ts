import { BandedArea } from '../../shards/geometry/banded-area.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import { type BoundingBox, type Degrees, MICRO } from '../../shards/units.ts';

/**
 * The area in which the street data claims to be complete: the part of a box that lies in any of
 * some areas. A box or areas that are not stated (null) exclude nothing.
 */
export class CoveredArea {
  readonly #box: BoundingBox | null;
  readonly #outlines: readonly BandedArea[] | null;

  constructor(box: BoundingBox | null, outlines: readonly Area[] | null = null) {
    this.#box = box;
    this.#outlines = outlines?.map((area) => new BandedArea(ringsOf([area]))) ?? null;
  }

  /** Whether the area contains a point; points on an outline count as inside. */
  has(lon: Degrees, lat: Degrees): boolean {
    if (this.#box && !boxContains(this.#box, lon, lat)) return false;
    if (!this.#outlines) return true;
    return this.#outlines.some((area) => area.sideOf(lon * MICRO, lat * MICRO) !== 'outside');
  }
}
