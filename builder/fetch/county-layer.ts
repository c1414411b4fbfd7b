import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { boxesAround } from '../../shards/geometry/wgs84.ts';
import type { StateFips } from '../../shards/states.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { BuildError, quoted } from '../errors.ts';
import { readShapefile } from '../inputs/shapefile.ts';

/** A county of the Census Bureau's layer. */
export interface County {
  readonly code: CountyFips;
  readonly state: StateFips;
  /** Name with the kind of county, such as `Baltimore city`, `Orleans Parish`. */
  readonly name: string;
  /** Name without the kind. */
  readonly shortName: string;
  /** Boxes around the county: two for a county on both sides of the antimeridian. */
  readonly boxes: readonly BoundingBox[];
}

/** Reads a layer of counties by their codes. */
export async function readCounties(path: string): Promise<Map<CountyFips, County>> {
  const counties = new Map<CountyFips, County>();
  for await (const { number, area, fields } of readShapefile(path)) {
    const code = fields.GEOID;
    if (typeof code !== 'string' || !COUNTY_FIPS.test(code)) {
      throw new BuildError(
        `${path}: record ${number} has GEOID ${quoted(String(code ?? ''))}; a layer of counties by the Census Bureau is needed`,
      );
    }
    const shortName = String(fields.NAME ?? code);
    counties.set(code, {
      code,
      state: code.slice(0, 2),
      name: String(fields.NAMELSAD ?? shortName),
      shortName,
      boxes: boxesAround(area.polygons.flatMap(([outer]) => outer)),
    });
  }
  return counties;
}
