/** A ring of [lon, lat] in degrees, closed: the last position repeats the first. */
export type Ring = readonly (readonly [lon: number, lat: number])[];
/** An outer ring and its holes. */
export type Polygon = readonly Ring[];

/** An area of one or more polygons, as GeoJSON nests them. */
export interface Area {
  readonly polygons: readonly Polygon[];
}
