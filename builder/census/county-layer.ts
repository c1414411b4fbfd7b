import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { boxesAround } from '../../shards/geometry/wgs84.ts';
import { isShown } from '../../shards/shown-text.ts';
import { type StateFips, stateFipsOf } from '../../shards/states.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { BuildError, quoted } from '../errors.ts';
import { readShapefile } from '../inputs/shapefile.ts';

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
      state: stateFipsOf(code),
      name: String(fields.NAMELSAD ?? shortName),
      shortName,
      boxes: boxesAround(area.polygons.flatMap(([outer]) => outer)),
    });
  }
  return counties;
}

/** Whether a shapefile is a layer of counties, by its first record. */
export async function isCountyLayer(path: string): Promise<boolean> {
  for await (const { fields } of readShapefile(path)) {
    return typeof fields.GEOID === 'string' && COUNTY_FIPS.test(fields.GEOID);
  }
  return false;
}

/** The names of some counties in layers of counties; those without a name in any are left out. */
export async function countyNames(
  layers: readonly string[],
  counties: readonly CountyFips[],
): Promise<Record<CountyFips, string>> {
  const known = await Promise.all(layers.map(readCounties));
  const named = counties.flatMap((code) => {
    const names = known.map((layer) => layer.get(code)?.name ?? '');
    const name = names.find((one) => one !== code && isShown(one));
    return name === undefined ? [] : [[code, name] as const];
  });
  return Object.fromEntries(named);
}
