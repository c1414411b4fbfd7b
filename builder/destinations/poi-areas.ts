import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { type Degrees, type DestinationOrdinal, MICRO } from '../../shards/units.ts';
import type { Destination } from './destination.ts';

/** Finds the POIs that contain a point, by their outlines. */
export class PoiAreas {
  readonly #ordinals: readonly DestinationOrdinal[];
  readonly #areas: AreaIndex;

  constructor(destinations: readonly Destination[]) {
    const outlined = [...destinations.keys()].filter((ordinal) => destinations[ordinal].outline);
    this.#ordinals = outlined;
    this.#areas = new AreaIndex(
      ringsOf(outlined.map((ordinal) => ({ polygons: destinations[ordinal].outline! }))),
    );
  }

  /** Ordinals, ascending, of the POIs that a point is in or on the edge of. */
  at(lon: Degrees, lat: Degrees): DestinationOrdinal[] {
    return this.#areas.at(lon * MICRO, lat * MICRO).map((area) => this.#ordinals[area]);
  }
}
