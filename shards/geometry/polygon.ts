import type { Degrees } from '../units.ts';

/** A GeoJSON position, in degrees. */
export type Position = readonly [lon: Degrees, lat: Degrees];
/** A ring, closed: the last position repeats the first. */
export type Ring = readonly Position[];
export type Polygon = readonly Ring[];

/** One or more polygons, nested as in GeoJSON. */
export interface Area {
  readonly polygons: readonly Polygon[];
}
