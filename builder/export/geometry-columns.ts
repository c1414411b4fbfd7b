import type { Column, GeoParquetVersion } from '../../shards/parquet/table.ts';
import { type BoundingBox, type Degrees, MICRO } from '../../shards/units.ts';

const GEOMETRY = 'geometry';
const BOX = 'bbox';

/**
 * Columns of an area and its box. The box lets readers of GeoParquet 1.1 skip rows, as a
 * `covering`; files of 2.0 have the bounds of areas per row group instead.
 */
export const geometryColumns = (nullable: boolean) =>
  [
    { name: GEOMETRY, type: 'polygons', nullable, description: 'Outline, WGS84.' },
    {
      name: BOX,
      type: 'box',
      nullable,
      description: 'Bounding box of the outline; in GeoParquet 1.1 only.',
    },
  ] as const satisfies Column[];

/**
 * The `geo` metadata of GeoParquet; without a `crs`, coordinates are OGC:CRS84. `bounds` is the box
 * of all areas, if known.
 */
export function geoMetadata(bounds: BoundingBox | undefined, version: GeoParquetVersion): string {
  const edges = ['xmin', 'ymin', 'xmax', 'ymax'].map((edge) => [edge, [BOX, edge]]);
  return JSON.stringify({
    version: `${version}.0`,
    primary_column: GEOMETRY,
    columns: {
      [GEOMETRY]: {
        encoding: 'WKB',
        geometry_types: ['MultiPolygon', 'Polygon'],
        ...(bounds && { bbox: roundedOutwards(bounds) }),
        ...(version === '1.1' && { covering: { bbox: Object.fromEntries(edges) } }),
      },
    },
  });
}

/**
 * Rounds the corners of a box outwards to six decimals, the precision of outlines, so that the box
 * still contains all of them.
 */
function roundedOutwards({ minLon, minLat, maxLon, maxLat }: BoundingBox): number[] {
  const below = (degrees: Degrees) => Math.floor(degrees * MICRO) / MICRO;
  const above = (degrees: Degrees) => Math.ceil(degrees * MICRO) / MICRO;
  return [below(minLon), below(minLat), above(maxLon), above(maxLat)];
}
