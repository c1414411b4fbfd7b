import { Problem } from '../../portal/http/problem.ts';
import type { BlockIndex } from '../../shards/blocks/block-index.ts';
import type { Waiters } from '../../shards/concurrency/fair-queue.ts';
import { countyOf, type Geoid, geoidFromNumber } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { type CountyBlock, type Degrees, MICRO } from '../../shards/units.ts';

/** A block of a release, found: all that an answer about it begins with. */
export interface OriginBlock {
  readonly release: Release;
  readonly county: CountyManifest;
  readonly index: BlockIndex;
  /** Its row in the objects of its county. */
  readonly ordinal: CountyBlock;
  readonly geoid: Geoid;
}

/** A block by its name, and the county that must have it. */
interface NamedBlock {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
}

/** The block of a GEOID: `block-not-found` if the release does not have its county. */
export function findBlock(release: Release, geoid: Geoid): NamedBlock {
  const county = release.countyOfBlock(geoid);
  if (county) return { geoid, county };
  throw new Problem('block-not-found', `this release has no county ${countyOf(geoid)}`, { geoid });
}

/** A point, and the counties it may lie in. */
interface PlacedPoint {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly counties: readonly CountyManifest[];
}

/** The counties a point may lie in, by the boxes of their blocks, in the order of their codes. */
export function placePoint(release: Release, lon: Degrees, lat: Degrees): PlacedPoint {
  const here = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  return { lon, lat, counties: release.blockBoxes.meeting([here]).map(({ manifest }) => manifest) };
}

/** How a request says which block it asks about. */
export type BlockOrigin = NamedBlock | PlacedPoint;

/** The part of a plan that says which block an answer is about. */
export interface ResolvedBlock {
  readonly origin: BlockOrigin;
  /** Where the block may lie, and its rows. */
  readonly dependsOn: readonly ObjectRef[];
}

/** Plans an answer of `rows` of the block of an origin. */
export function queryOfBlock(origin: BlockOrigin, rows: 'nearest' | 'pois'): ResolvedBlock {
  const counties = 'geoid' in origin ? [origin.county] : origin.counties;
  const dependsOn = counties.flatMap(({ objects }) => [
    ...('geoid' in origin ? [] : [objects.blocks]),
    objects.index,
    objects[rows],
  ]);
  return { origin, dependsOn };
}

/** Finds the block of an origin: `block-not-found` or `point-not-covered` if there is none. */
export function locateOrigin(
  release: Release,
  origin: BlockOrigin,
  waiters: Waiters,
): Promise<OriginBlock> {
  return 'geoid' in origin ? locateBlock(release, origin) : locatePoint(release, origin, waiters);
}

/** Finds a block in its county, where it must be: `block-not-found` if not. */
async function locateBlock(release: Release, { county, geoid }: NamedBlock): Promise<OriginBlock> {
  const index = await release.index(county);
  const ordinal = index.ordinalOf(geoid);
  if (ordinal !== -1) return { release, county, index, ordinal, geoid };
  throw new Problem('block-not-found', `there is no census block ${geoid}`, { geoid });
}

/**
 * Finds the block a point lies in: exact, also at borders, where of the blocks that meet there the
 * one with the lowest GEOID has it. `point-not-covered` outside all blocks.
 */
async function locatePoint(
  release: Release,
  { lon, lat, counties }: PlacedPoint,
  waiters: Waiters,
): Promise<OriginBlock> {
  for (const county of counties) {
    const { outlines, index } = await release.areas(county, waiters);
    const [area] = index.at(lon * MICRO, lat * MICRO);
    if (area === undefined) continue;
    return locateBlock(release, { county, geoid: geoidFromNumber(outlines.geoids[area]) });
  }
  throw new Problem(
    'point-not-covered',
    `${lat}, ${lon} is not in any census block of this release`,
    {
      lat,
      lon,
    },
  );
}
