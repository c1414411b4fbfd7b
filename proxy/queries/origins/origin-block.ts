import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import { countyOf, type Geoid, geoidFromNumber } from '../../../shards/geoid.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import { type CountyBlock, type Degrees, MICRO } from '../../../shards/units.ts';
import { BOUNDS, type Bounds, boundsText, isOnEarth, isWithin, rangeFault } from '../../bounds.ts';
import { Problem } from '../../http/problem.ts';
import { exchangedFault, refuseExchanged } from '../exchanged-coordinates.ts';

/** A located block of a release: the basis of every response about it. */
export interface OriginBlock {
  readonly release: Release;
  readonly county: CountyManifest;
  readonly index: BlockIndex;
  /** Row of the block in its county's objects. */
  readonly ordinal: CountyBlock;
  readonly geoid: Geoid;
}

/** A block identified by GEOID, and the only county that can contain it. */
interface GeoidOrigin {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
  readonly counties: readonly [CountyManifest];
}

export function originOfGeoid(release: Release, geoid: Geoid): GeoidOrigin {
  const county = release.countyOfBlock(geoid);
  if (county) return { geoid, county, counties: [county] };
  throw new Problem('block-not-found', `this release has no county ${countyOf(geoid)}`, { geoid });
}

interface PointOrigin {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly counties: readonly CountyManifest[];
}

/**
 * Identifies a block by a point in it, and by the counties that may contain it, ordered by code.
 */
export function originOfPoint(release: Release, lon: Degrees, lat: Degrees): PointOrigin {
  const box = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  return { lon, lat, counties: release.blockBoxes.meeting([box]).map(({ manifest }) => manifest) };
}

/**
 * A value as sent, undefined if absent: what is neither a number, text nor null is its JSON; long
 * text is truncated.
 */
export type SentValue = number | string | null | undefined;

/** A point as sent, which need not be one. */
export interface SentPoint {
  readonly lon?: SentValue;
  readonly lat?: SentValue;
}

/** Returns the error message for what is no point on Earth, with each fault; null for a point. */
export function faultOfPoint({ lon, lat }: SentPoint): string | null {
  const faults = [
    faultOfDegrees('lat', BOUNDS.latitude, lat),
    faultOfDegrees('lon', BOUNDS.longitude, lon),
  ].filter((fault) => fault !== null);
  return faults.length === 0 ? null : faults.join('; ');
}

export function isPoint(sent: SentPoint): sent is { readonly lon: Degrees; readonly lat: Degrees } {
  return (
    typeof sent.lon === 'number' && typeof sent.lat === 'number' && isOnEarth(sent.lon, sent.lat)
  );
}

/** Returns a coordinate as sent if it is a number that JSON can state. */
export function numberOrNull(value: SentValue): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function faultOfDegrees(name: string, bounds: Bounds, value: SentValue): string | null {
  if (typeof value !== 'number') {
    const given = value === undefined ? 'missing' : JSON.stringify(value);
    return `${name} is ${given}: it must be a number ${boundsText(bounds)}`;
  }
  return isWithin(bounds, value) ? null : `${name} is ${value}: it ${rangeFault(bounds, value)}`;
}

/** Identifies the block of a query's point; throws if it is in the release only if exchanged. */
export function originOfQuery(release: Release, lon: Degrees, lat: Degrees): PointOrigin {
  refuseExchanged(release, { lon, lat }, ['query', 'lat']);
  return originOfPoint(release, lon, lat);
}

export type BlockOrigin = GeoidOrigin | PointOrigin;

export interface ResolvedBlock {
  readonly origin: BlockOrigin;
  /** Objects that may contain the block, and those with its rows. */
  readonly dependsOn: readonly ObjectRef[];
}

/** Resolves the block of an origin, whose rows are read from objects of a kind. */
export function resolveBlock(origin: BlockOrigin, kind: 'nearest' | 'pois'): ResolvedBlock {
  const dependsOn = origin.counties.flatMap(({ objects }) => [
    ...('geoid' in origin ? [] : [objects.blocks]),
    objects.index,
    objects[kind],
  ]);
  return { origin, dependsOn };
}

export function locateOrigin(release: Release, origin: BlockOrigin): Promise<OriginBlock> {
  return 'geoid' in origin ? locateBlock(release, origin) : locatePoint(release, origin);
}

async function locateBlock(
  release: Release,
  { county, geoid }: Pick<GeoidOrigin, 'county' | 'geoid'>,
): Promise<OriginBlock> {
  const index = await release.index(county);
  const ordinal = index.ordinalOf(geoid);
  if (ordinal !== -1) return { release, county, index, ordinal, geoid };
  throw new Problem('block-not-found', `there is no census block ${geoid}`, { geoid });
}

/**
 * Finds the block that contains a point. Exact, also at borders, where the adjacent block with the
 * lowest GEOID wins. Throws `point-not-covered` outside all blocks.
 */
async function locatePoint(
  release: Release,
  { lon, lat, counties }: PointOrigin,
): Promise<OriginBlock> {
  for (const county of counties) {
    const { outlines, index } = await release.areas(county);
    const [area] = index.at(lon * MICRO, lat * MICRO);
    if (area === undefined) continue;
    return locateBlock(release, { county, geoid: geoidFromNumber(outlines.geoids[area]) });
  }
  const isExchanged = exchangedFault(release, { lon, lat }) !== null;
  const hint = isExchanged ? ': are lat and lon exchanged?' : '';
  throw new Problem(
    'point-not-covered',
    `${lat}, ${lon} is not in any census block of this release${hint}`,
    {
      lat,
      lon,
    },
  );
}
