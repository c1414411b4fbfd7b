import { ordinalIn } from '../../../shards/arrays/sorted.ts';
import { countyOf } from '../../../shards/geoid.ts';
import { pointAt } from '../../../shards/geometry/geo-json.ts';
import { withCommas } from '../../../shards/number-words.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyFips, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { LIMITS } from '../../bounds.ts';
import type { QueryResult } from '../../endpoint.ts';
import { Geometry } from '../../formats/columns.ts';
import {
  invalidMember,
  invalidParameters,
  type ParameterIssue,
  Problem,
} from '../../http/problem.ts';
import { PLANS } from '../../plans.ts';
import type { QueryContext } from '../../services.ts';
import { type Area, areaFactsOf, countiesOf, someBlocksOfArea } from '../areas/area.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { exchangedFault } from '../exchanged-coordinates.ts';
import { faultOfPoint, isPoint, numberOrNull, type SentPoint } from '../origins/origin-block.ts';
import {
  type LocatedSite,
  type LocatedSites,
  locateSites,
  type Site,
  type SiteError,
  type SiteList,
  type SiteSource,
} from './locate-sites.ts';
import { measureSites } from './measure-sites.ts';
import { blocksReached } from './site-reach.ts';
import { areaRows, type SentSite, siteColumns, siteRows } from './site-table.ts';
import { readWeight, WeightedArea } from './weighted-area.ts';

export interface SitesQuery {
  readonly sites: SiteSource;
  readonly candidates: SiteSource;
  /** Number of candidates to choose; 0 for none. */
  readonly choose: number;
  /** Number of blocks to list that no site covers; 0 for none. */
  readonly uncovered: number;
  /** Null for all blocks within reach of any site or candidate. */
  readonly area: Area | null;
  readonly mode: ReleaseMode;
  readonly direction: Direction;
  /** The first is the weight of sites, gains, choices and uncovered blocks. */
  readonly weights: readonly string[];
  /** Ascending. */
  readonly minutes: readonly Minutes[];
}

/**
 * Returns the price of a request in tokens. Points without a block to route from are free: the
 * price of a request that is not yet located is that without any. Undefined for POIs and blocks
 * that are not yet located.
 */
export function priceOfSites(query: SitesQuery | LocatedQuery): number | undefined {
  const counts = SITE_LISTS.map((list) => {
    if ('located' in query) return query.located[list].located.length;
    const source = query[list];
    return source.kind === 'points' ? source.points.length : undefined;
  });
  const [sites, candidates] = counts;
  if (sites === undefined || candidates === undefined) return undefined;
  return priceOfMany(sites + candidates);
}

export function priceOfMany(sites: number): number {
  const { site, sites_minimum } = PLANS.charges;
  return Math.max(sites_minimum, sites * site);
}

export const NO_SITES: SiteSource = { kind: 'points', points: [] };

const SITE_LISTS = ['sites', 'candidates'] as const satisfies readonly SiteList[];

export async function querySites(
  release: Release,
  { format }: Pick<QueryContext, 'format'>,
  query: LocatedQuery,
): Promise<QueryResult> {
  const { sites, candidates } = query.located;
  const errors = [...sites.errors, ...candidates.errors];
  const reaching = { release, mode: query.mode, direction: query.direction };
  const most = query.minutes[query.minutes.length - 1];
  const parts =
    query.parts ?? (await blocksReached([...sites.located, ...candidates.located], most, reaching));
  if (query.choose > 0) checkCovers(candidates.located.length, parts);
  const area = new WeightedArea(parts, await readWeight(parts, query.weights[0], reaching));
  const located = { sites: sites.located, candidates: candidates.located };
  const measures = await measureSites({ ...query, ...located, release, area });
  const tokens = priceOfSites(query)!;
  const facts = {
    area: { ...(await areaFactsOf(release, parts, query.weights)), counties: countiesOf(parts) },
    ...sourceFacts(query.sites, sites, parts),
  };
  const ending = { errors, precision: 'block' };
  if (format.name === 'json') {
    return { body: { ...facts, ...measures, ...ending }, tokens };
  }
  const hasAddresses = [...sites.all, ...candidates.all].some(isAddress);
  const columns = siteColumns({ ...query, hasAddresses });
  const rows = format.rows(columns.columns);
  const add = rows.of(POINT, columns);
  // CSV has nothing but rows; other formats have these sums beside their rows.
  if (format.name === 'csv') for (const row of areaRows({ measures })) add(row, row);
  const sent = { sites: sites.all.map(asSent), candidates: candidates.all.map(asSent) };
  for (const row of siteRows({ sent, errors, measures })) {
    add(row, row);
    await release.turns.yieldIfOverdue();
  }
  return { body: { ...facts, results: measures.results, ...ending, rows }, tokens };
}

/** Says where the POIs of a type were taken from, and how many lie outside the blocks counted. */
export function sourceFacts(
  source: SiteSource,
  { located }: LocatedSites,
  parts: readonly CountyBlocks[],
) {
  if (source.kind !== 'pois') return {};
  const partOf = new Map(parts.map((part) => [part.county, part]));
  const isOutside = ({ block: { county, ordinal } }: LocatedSite) =>
    ordinalIn(partOf.get(county)?.ordinals ?? [], ordinal) === -1;
  return {
    sites_from: {
      kind: source.within === null ? 'area' : 'near',
      counties: [...new Set(located.map(({ block: { geoid } }) => countyOf(geoid)))].sort(),
      outside: located.filter(isOutside).length,
    },
  };
}

/** Most bits that say which blocks each candidate covers: 64 MiB. */
const MAX_COVER_BITS = 2 ** 29;

/** Throws if the candidates to choose from are too many for so large an area. */
function checkCovers(candidates: number, parts: readonly CountyBlocks[]): void {
  const blocks = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const most = Math.floor(MAX_COVER_BITS / blocks);
  if (candidates <= most) return;
  const msg = `over ${withCommas(blocks)} blocks at most ${withCommas(most)} candidates may be chosen from: send fewer, or a smaller area`;
  throw invalidMember('choose', msg, 'too_big');
}

const POINT = new Geometry<SentPoint>((site) =>
  isPoint(site) ? pointAt(site.lon, site.lat) : undefined,
);

const isAddress = ({ address }: Site) => address !== undefined;

/** The site of a row; text sent as a coordinate is in the detail of its error. */
function asSent({ id, lon, lat }: Site): SentSite {
  return { id, lon: numberOrNull(lon), lat: numberOrNull(lat) };
}

interface Located {
  /** The blocks of the area; null for all within reach. */
  readonly parts: readonly CountyBlocks[] | null;
  readonly located: Readonly<Record<SiteList, LocatedSites>>;
}

export type LocatedQuery = SitesQuery & Located;

export async function locateQuery<
  Q extends Pick<SitesQuery, SiteList | 'area' | 'mode' | 'direction'>,
>(release: Release, query: Q): Promise<Q & Located> {
  // Refuses an area that the release lacks before any point is located.
  const parts = query.area && (await someBlocksOfArea(release, query.area));
  const counties = new Set<CountyFips>();
  const mostCounties = parts ? Number.POSITIVE_INFINITY : LIMITS.areaCounties;
  const { mode, direction } = query;
  const locating = { release, mode, direction, counties, mostCounties };
  const sites = await locateSites('sites', query.sites, locating);
  const candidates = await locateSites('candidates', query.candidates, locating);
  const errors = [...sites.errors, ...candidates.errors];
  const isNone = sites.located.length + candidates.located.length === 0;
  // An area without a POI of the type is one that no site covers.
  if (isNone && (errors.length > 0 || parts === null)) throw noneLocated(query, errors);
  return { ...query, parts, located: { sites, candidates } };
}

/**
 * Throws `invalid-parameters` if the coordinates of every site and candidate are exchanged or
 * malformed: the fault is then of the request, not of a site.
 */
export function refuseMisplaced(
  release: Release,
  query: Readonly<Record<SiteList, SiteSource>>,
): void {
  const faults: ParameterIssue[] = [];
  for (const list of SITE_LISTS) {
    const source = query[list];
    if (source.kind !== 'points' || source.points.some(isAddress)) return;
    for (const [i, site] of source.points.entries()) {
      const isSound = isPoint(site);
      const fault = isSound ? exchangedFault(release, site) : faultOfPoint(site);
      if (fault === null) return;
      const { line } = site;
      const place =
        line === undefined
          ? { loc: ['body', list, i], msg: fault }
          : { loc: ['body', list], msg: `line ${line}: ${fault}` };
      faults.push({ ...place, type: isSound ? 'exchanged' : 'invalid_point' });
    }
  }
  throw invalidParameters(faults);
}

const MAX_STATED = 3;

function noneLocated({ sites }: Pick<SitesQuery, 'sites'>, errors: readonly SiteError[]): Problem {
  if (errors.length === 0 && sites.kind === 'pois') {
    return new Problem('poi-not-found', 'the area of sites has no POI of the type');
  }
  const stated = errors.slice(0, MAX_STATED).map(({ id, detail }) => `${id}: ${detail}`);
  if (errors.length > MAX_STATED) stated.push(`and ${errors.length - MAX_STATED} more`);
  const reasons = stated.join('; ') || 'the area of candidates has no block';
  return new Problem('point-not-covered', `no site can be measured: ${reasons}`);
}
