import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { boxOf } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { readShapefile } from '../inputs/shapefile.ts';

/** Reads the box around each county of a TIGER/Line county layer, by the county's code. */
export async function readCountyBoxes(path: string): Promise<Map<CountyFips, BoundingBox>> {
  const boxes = new Map<CountyFips, BoundingBox>();
  for await (const { number, area, fields } of readShapefile(path)) {
    const county = fields.GEOID;
    if (typeof county !== 'string' || !COUNTY_FIPS.test(county)) {
      throw new BuildError(
        `${path}: record ${number} has GEOID ${county}; a TIGER/Line county layer is needed`,
      );
    }
    boxes.set(county, boxOf(area.polygons.flatMap(([outer]) => outer)));
  }
  return boxes;
}

/**
 * Returns the box around each of some counties. Throws a `BuildError` for a county that is not in
 * the layer.
 */
export function boxesOf(
  counties: readonly CountyFips[],
  boxes: ReadonlyMap<CountyFips, BoundingBox>,
  layer: string,
): BoundingBox[] {
  return counties.map((county) => {
    const box = boxes.get(county);
    if (box) return box;
    throw new BuildError(`${layer}: has no county ${county}; check the code`);
  });
}
