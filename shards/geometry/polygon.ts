import type { Degrees } from '../units.ts';

/** A point as GeoJSON has it, in degrees. */
export type Position = readonly [lon: Degrees, lat: Degrees];
/** A ring, closed: the last position repeats the first. */
export type Ring = readonly Position[];
/** An outer ring and its holes. */
export type Polygon = readonly Ring[];

/** An area of one or more polygons, as GeoJSON nests them. */
export interface Area {
  readonly polygons: readonly Polygon[];
}
