import { type Geoid, geoidFromNumber } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Release } from '../../shards/release.ts';
import { type Degrees, MICRO } from '../../shards/units.ts';
import { Problem } from '../http/problem.ts';

/** The block that a point lies in. */
export interface ResolvedPoint {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
}

/** The counties a point may lie in, by the boxes of their blocks, in the order of their codes. */
export function countiesAround(release: Release, lon: Degrees, lat: Degrees): CountyManifest[] {
  const here = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  return release.blockBoxes.meeting([here]).map(({ county }) => county);
}

/**
 * The block a point lies in: exact, also at borders, where of the blocks that meet there the one
 * with the lowest GEOID has it. `point-not-covered` outside all blocks.
 */
export async function coveredPoint(
  release: Release,
  counties: readonly CountyManifest[],
  lon: Degrees,
  lat: Degrees,
): Promise<ResolvedPoint> {
  for (const county of counties) {
    const { outlines, index } = await release.areas(county);
    const [area] = index.at(lon * MICRO, lat * MICRO);
    if (area !== undefined) return { geoid: geoidFromNumber(outlines.geoids[area]), county };
  }
  throw new Problem('point-not-covered', `${lat}, ${lon} is in no census block of this release`, {
    lat,
    lon,
  });
}
