import { countyOf, type Geoid, geoidFromNumber } from '../../shards/geoid.ts';
import type { BlockIndex } from '../../shards/index/block-index.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Release } from '../../shards/release.ts';
import { type Degrees, MICRO } from '../../shards/units.ts';
import { Problem } from '../http/problem.ts';

/** A block of a release, found: all that an answer about it begins with. */
export interface LocatedBlock {
  readonly release: Release;
  readonly county: CountyManifest;
  readonly index: BlockIndex;
  /** Its row in the objects of its county. */
  readonly ordinal: number;
  readonly geoid: Geoid;
}

/** The county of a block, which must be one the release has. */
export function countyWith(release: Release, geoid: Geoid): CountyManifest {
  const county = release.countyOfBlock(geoid);
  if (county) return county;
  throw new Problem('block-not-found', `this release has no county ${countyOf(geoid)}`, { geoid });
}

/** Finds a block in its county, where it must be: `block-not-found` if not. */
export async function locateBlock(
  release: Release,
  county: CountyManifest,
  geoid: Geoid,
): Promise<LocatedBlock> {
  const index = await release.index(county);
  const ordinal = index.ordinalOf(geoid);
  if (ordinal !== -1) return { release, county, index, ordinal, geoid };
  throw new Problem('block-not-found', `there is no census block ${geoid}`, { geoid });
}

/** A point, and the counties it may lie in. */
export interface PlacedPoint {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly counties: readonly CountyManifest[];
}

/** The counties a point may lie in, by the boxes of their blocks, in the order of their codes. */
export function placePoint(release: Release, lon: Degrees, lat: Degrees): PlacedPoint {
  const here = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  return { lon, lat, counties: release.blockBoxes.meeting([here]).map(({ manifest }) => manifest) };
}

/**
 * Finds the block a point lies in: exact, also at borders, where of the blocks that meet there the
 * one with the lowest GEOID has it. `point-not-covered` outside all blocks.
 */
export async function locatePoint(
  release: Release,
  { lon, lat, counties }: PlacedPoint,
): Promise<LocatedBlock> {
  for (const county of counties) {
    const { outlines, index } = await release.areas(county);
    const [area] = index.at(lon * MICRO, lat * MICRO);
    if (area === undefined) continue;
    return locateBlock(release, county, geoidFromNumber(outlines.geoids[area]));
  }
  throw new Problem('point-not-covered', `${lat}, ${lon} is in no census block of this release`, {
    lat,
    lon,
  });
}
