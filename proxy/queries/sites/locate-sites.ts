import { ordinalIn } from '../../../shards/arrays/sorted.ts';
import { countyOf, type Geoid, geoidFromNumber } from '../../../shards/geoid.ts';
import { linkModeOf } from '../../../shards/modes.ts';
import { counted, withCommas } from '../../../shards/number-words.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { type CountyFips, type DestTypeId, MICRO, type Minutes } from '../../../shards/units.ts';
import { LIMITS } from '../../bounds.ts';
import { invalidMember, Problem } from '../../http/problem.ts';
import { type LocatedPlace, locateSent, type SentPlace } from '../addresses/locate-sent.ts';
import { type Area, blocksOfArea, countiesOf, knownBlocks, noSuchBlock } from '../areas/area.ts';
import { locateOrigin, originOfPoint } from '../origins/origin-block.ts';
import { unroutedReasons } from '../origins/unrouted.ts';
import { nearArea, type Reaching } from './site-reach.ts';

/** A site as sent, or as found in the release. */
export interface Site extends SentPlace {
  readonly id: string | number;
  /** In any unit; undefined if it was not sent. */
  readonly capacity?: number | undefined;
  /** The line that it begins on, from 1, if it was sent as CSV. */
  readonly line?: number;
}

export type SiteSource =
  | { readonly kind: 'points'; readonly points: readonly Site[] }
  /** The POIs of some leaf types whose block is in an area. */
  | {
      readonly kind: 'pois';
      readonly types: readonly DestTypeId[];
      readonly area: Area;
      /** Also those outside that a block of the area is near, in so many minutes; null for none. */
      readonly within: Minutes | null;
    }
  /** The centre of each block of an area. */
  | { readonly kind: 'blocks'; readonly area: Area };

export interface LocatedSite extends Site, LocatedPlace {}

export type SiteList = 'sites' | 'candidates';

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

interface Locating extends Reaching {
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
  locating: Locating,
): Promise<LocatedSites> {
  const { release, mode, counties, mostCounties } = locating;
  const all: Site[] = [];
  const located: LocatedSite[] = [];
  const errors: SiteError[] = [];
  const label = release.services[mode].mode;
  for await (const { site, place } of placedSites(list, source, locating)) {
    await release.turns.yieldIfOverdue();
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
  reaching: Reaching,
): AsyncGenerator<PlacedSite> {
  const { release } = reaching;
  switch (source.kind) {
    case 'points':
      return placedPoints(source.points, release);
    case 'pois':
      return placedPois(list, source, reaching);
    case 'blocks':
      return placedBlocks(list, source.area, release);
  }
}

/** Points located at once, so that their reads overlap. */
const WIDTH = 16;

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

/** The POIs of some types in the blocks of an area, or near it, by home county, then id. */
async function* placedPois(
  list: SiteList,
  { types, area, within }: Extract<SiteSource, { readonly kind: 'pois' }>,
  reaching: Reaching,
): AsyncGenerator<PlacedSite> {
  const { release, direction } = reaching;
  const parts = await blocksOfArea(release, area);
  const ordinalsOf = new Map<CountyManifest, Uint32Array>();
  for (const { county, ordinals } of parts) ordinalsOf.set(county, ordinals);
  const isInside = ({ block: { county, ordinal } }: LocatedSite) =>
    ordinalIn(ordinalsOf.get(county) ?? NONE, ordinal) !== -1;
  const near = within === null ? null : await nearArea(parts, within, reaching);
  const own = new Set(countiesOf(parts));
  const boxes = release.counties
    .filter(({ fips, manifest: { reach } }) => {
      return own.has(fips) || (near !== null && reach[direction].some((one) => own.has(one)));
    })
    .map(({ blockBox }) => blockBox);
  const tooMany = (msg: string) => invalidMember(list, msg, 'too_big');
  let [found, around] = [0, 0];
  for (const { manifest } of release.poiBoxes.meeting(boxes)) {
    const pois = await locatedPois(release, manifest, types);
    const outside = near === null ? [] : pois.filter((poi) => !isInside(poi));
    around += outside.length;
    if (around > LIMITS.areaBlocks) {
      throw tooMany(
        `around the area are more than ${withCommas(LIMITS.areaBlocks)} POIs of the type: send an area in ${list}, or a narrower type`,
      );
    }
    const isNear = await near?.(outside);
    for (const poi of pois) {
      if (!isInside(poi) && !isNear?.has(poi.block.geoid)) continue;
      if (++found > LIMITS.sites) {
        const where = near === null ? 'in the area' : 'in the area or near it';
        throw tooMany(
          `more than ${counted(LIMITS.sites, 'POI')} of the type are ${where}: send a smaller area, or a narrower type`,
        );
      }
      const { block, ...site } = poi;
      yield { site, place: { block } };
    }
  }
}

const NONE = new Uint32Array();

/** The POIs of some types with the given home county that lie in a block, by id. */
async function locatedPois(
  release: Release,
  county: CountyManifest,
  types: readonly DestTypeId[],
): Promise<LocatedSite[]> {
  const { matrix, table } = await release.catchments(county);
  const wanted = table.ofTypes(types);
  const located: LocatedSite[] = [];
  for (let poi = 0; poi < table.count; poi++) {
    if (!wanted.has(poi)) continue;
    const [lon, lat] = [table.lon[poi] / MICRO, table.lat[poi] / MICRO];
    const block = await locateOrigin(release, originOfPoint(release, lon, lat)).catch(asFault);
    await release.turns.yieldIfOverdue();
    if (!(block instanceof Problem)) located.push({ id: matrix.origins[poi], lon, lat, block });
  }
  return located;
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
    throw invalidMember(list, msg, 'too_big');
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
  return invalidMember('area', msg, 'missing');
}
