import { ordinalIn } from '../../../shards/arrays/sorted.ts';
import { linkModeOf } from '../../../shards/blocks/block-index.ts';
import { countyOf, type Geoid, geoidFromNumber } from '../../../shards/geoid.ts';
import { boxWithin } from '../../../shards/geometry/wgs84.ts';
import { counted, withCommas } from '../../../shards/number-words.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import {
  type CountyFips,
  type DestTypeId,
  MICRO,
  type ReleaseMode,
} from '../../../shards/units.ts';
import { LIMITS } from '../../bounds.ts';
import { invalidParameters, Problem } from '../../http/problem.ts';
import { type LocatedPlace, locateSent, type SentPlace } from '../addresses/locate-sent.ts';
import { type Area, blocksOfArea, knownBlocks, noSuchBlock } from '../areas/area.ts';
import { locateOrigin, originOfPoint } from '../origins/origin-block.ts';
import { unroutedReasons } from '../origins/unrouted.ts';

/** A site as sent, or as found in the release. */
export interface Site extends SentPlace {
  readonly id: string | number;
  /** In any unit; undefined if it was not sent. */
  readonly capacity?: number | undefined;
  /** The line that it begins on, from 1, if it was sent as CSV. */
  readonly line?: number;
}

/** Where the sites of a list come from. */
export type SiteSource =
  | { readonly kind: 'points'; readonly points: readonly Site[] }
  /** The POIs of some leaf types whose block is in an area. */
  | { readonly kind: 'pois'; readonly types: readonly DestTypeId[]; readonly area: Area }
  /** The centre of each block of an area. */
  | { readonly kind: 'blocks'; readonly area: Area };

/** A site, and the block that contains it. */
export interface LocatedSite extends Site, LocatedPlace {}

/** The list of a request that a site is from. */
export type SiteList = 'sites' | 'candidates';

/** Why a site is left out. */
export interface SiteError {
  readonly id: Site['id'];
  readonly list: SiteList;
  readonly type: (typeof SITE_FAULTS)[number];
  readonly detail: string;
}

export const SITE_FAULTS = [
  'point-not-covered',
  'address-not-found',
  'block-not-found',
  'no-block-data',
] as const;

/** The sites of a list: all of them, those that can be measured, and why others cannot. */
export interface LocatedSites {
  readonly all: readonly Site[];
  readonly located: readonly LocatedSite[];
  readonly errors: readonly SiteError[];
}

/** How the sites of a request are located. */
interface Locating {
  readonly release: Release;
  readonly mode: ReleaseMode;
  /** The counties that located sites lie in. */
  readonly counties: Set<CountyFips>;
  readonly mostCounties: number;
}

/**
 * Finds the blocks of a list of sites; sites without a block to route from are errors. Throws
 * `invalid-parameters` as soon as the sites of a request lie in more than `mostCounties` counties,
 * since the outlines of a county take megabytes, or a list is too long.
 */
export async function locateSites(
  list: SiteList,
  source: SiteSource,
  { release, mode, counties, mostCounties }: Locating,
): Promise<LocatedSites> {
  const all: Site[] = [];
  const located: LocatedSite[] = [];
  const errors: SiteError[] = [];
  const label = release.manifest.modes[mode];
  for await (const { site, place } of placedSites(list, source, release)) {
    const pause = release.turns.yieldIfOverdue();
    if (pause) await pause;
    const { id } = site;
    all.push(site);
    if (place instanceof Problem) {
      errors.push({ id, list, type: faultOf(place)!, detail: place.message });
      continue;
    }
    const { block } = place;
    const { status } = block.index.link(block.ordinal, linkModeOf(label));
    if (status === 'linked') {
      located.push({ ...site, ...place });
      counties.add(countyOf(block.geoid));
      if (counties.size > mostCounties) throw spreadTooFar(mostCounties);
    } else {
      const detail = unroutedReasons(block.geoid, [{ mode: label, reason: status }]);
      errors.push({ id, list, type: 'no-block-data', detail });
    }
  }
  return { all, located, errors };
}

/** A site, and its place or the reason why it has none. */
interface PlacedSite {
  readonly site: Site;
  readonly place: LocatedPlace | Problem;
}

function placedSites(
  list: SiteList,
  source: SiteSource,
  release: Release,
): AsyncGenerator<PlacedSite> {
  switch (source.kind) {
    case 'points':
      return placedPoints(source.points, release);
    case 'pois':
      return placedPois(list, source, release);
    case 'blocks':
      return placedBlocks(list, source.area, release);
  }
}

/** Points located at once, so that their reads overlap. */
const WIDTH = 16;

/** The points as sent, in order. */
async function* placedPoints(
  points: readonly Site[],
  release: Release,
): AsyncGenerator<PlacedSite> {
  for (let first = 0; first < points.length; first += WIDTH) {
    const some = points.slice(first, first + WIDTH);
    const places = await Promise.all(some.map((site) => locateSent(release, site).catch(asFault)));
    for (const [i, place] of places.entries()) yield { site: some[i], place };
  }
}

/** The POIs of some types in the blocks of an area, by home county, then id. */
async function* placedPois(
  list: SiteList,
  { types, area }: Extract<SiteSource, { readonly kind: 'pois' }>,
  release: Release,
): AsyncGenerator<PlacedSite> {
  const parts = await blocksOfArea(release, area);
  const ordinalsOf = new Map<CountyManifest, Uint32Array>();
  for (const { county, ordinals } of parts) ordinalsOf.set(county, ordinals);
  const boxes = parts.map(({ county }) => boxWithin(county.block_box));
  let found = 0;
  for (const { manifest } of release.poiBoxes.meeting(boxes)) {
    const { matrix, table } = await release.catchments(manifest);
    const wanted = table.ofTypes(types);
    for (let poi = 0; poi < table.count; poi++) {
      if (!wanted.has(poi)) continue;
      const [lon, lat] = [table.lon[poi] / MICRO, table.lat[poi] / MICRO];
      const origin = originOfPoint(release, lon, lat);
      const block = await locateOrigin(release, origin).catch(asFault);
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
      if (block instanceof Problem) continue;
      const ordinals = ordinalsOf.get(block.county);
      if (!ordinals || ordinalIn(ordinals, block.ordinal) === -1) continue;
      if (++found > LIMITS.sites) {
        const msg = `the area has more than ${counted(LIMITS.sites, 'POI')} of the type: send a smaller area, or a narrower type`;
        throw invalidParameters([{ loc: ['body', list], msg, type: 'too_big' }]);
      }
      yield { site: { id: matrix.origins[poi], lon, lat }, place: { block } };
    }
  }
}

/** The blocks of an area, by GEOID. The release may lack some of the blocks that are listed. */
async function* placedBlocks(
  list: SiteList,
  area: Area,
  release: Release,
): AsyncGenerator<PlacedSite> {
  const { parts, lacking } =
    area.kind === 'blocks'
      ? await knownBlocks(release, area.geoids)
      : { parts: await blocksOfArea(release, area), lacking: [] };
  const count = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  if (count > LIMITS.areaBlocks) {
    const msg = `the area has ${withCommas(count)} blocks, more than ${withCommas(LIMITS.areaBlocks)}: send a smaller area`;
    throw invalidParameters([{ loc: ['body', list], msg, type: 'too_big' }]);
  }
  for (const { county, index, ordinals } of parts) {
    for (const ordinal of ordinals) {
      const geoid: Geoid = geoidFromNumber(index.geoids[ordinal]);
      const [lon, lat] = [index.lon[ordinal] / MICRO, index.lat[ordinal] / MICRO];
      const block = { release, county, index, ordinal, geoid };
      yield { site: { id: geoid, lon, lat }, place: { block } };
    }
  }
  for (const one of lacking) yield { site: { id: geoidFromNumber(one) }, place: noSuchBlock(one) };
}

/** Returns why a site has no block; undefined for any other error. */
function faultOf(error: unknown): SiteError['type'] | undefined {
  return SITE_FAULTS.find((fault) => error instanceof Problem && error.slug === fault);
}

function asFault(error: unknown): Problem {
  if (faultOf(error)) return error as Problem;
  throw error;
}

function spreadTooFar(mostCounties: number): Problem {
  const msg = `the points lie in more than ${mostCounties} counties: send an area`;
  return invalidParameters([{ loc: ['body', 'area'], msg, type: 'missing' }]);
}
