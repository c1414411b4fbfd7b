import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { boxesAround } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { BuildError, quoted } from '../errors.ts';
import { readShapefile } from '../inputs/shapefile.ts';

/**
 * Reads the boxes around each county of a TIGER/Line county layer, by the county's code: two for a
 * county on both sides of the antimeridian.
 */
export async function readCountyBoxes(path: string): Promise<Map<CountyFips, BoundingBox[]>> {
  const boxes = new Map<CountyFips, BoundingBox[]>();
  for await (const { number, area, fields } of readShapefile(path)) {
    const county = fields.GEOID;
    if (typeof county !== 'string' || !COUNTY_FIPS.test(county)) {
      throw new BuildError(
        `${path}: record ${number} has GEOID ${quoted(String(county ?? ''))}; a TIGER/Line county layer is needed`,
      );
    }
    boxes.set(county, boxesAround(area.polygons.flatMap(([outer]) => outer)));
  }
  return boxes;
}

/** Returns the boxes around some counties. Throws a `BuildError` for a county not in the layer. */
export function boxesOf(
  counties: readonly CountyFips[],
  boxes: ReadonlyMap<CountyFips, readonly BoundingBox[]>,
  layer: string,
): BoundingBox[] {
  return counties.flatMap((county) => {
    const own = boxes.get(county);
    if (own) return own;
    throw new BuildError(`${layer}: has no county ${county}; check the code`);
  });
}
