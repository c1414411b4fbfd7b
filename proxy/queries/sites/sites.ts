import { countyOf, geoidFromNumber } from '../../../shards/geoid.ts';
import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyFips, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { LIMITS } from '../../bounds.ts';
import type { QueryResult } from '../../endpoint.ts';
import { Geometry } from '../../formats/columns.ts';
import { invalidParameters, type ParameterIssue, Problem } from '../../http/problem.ts';
import { PLANS } from '../../plans.ts';
import type { QueryContext } from '../../services.ts';
import { type Area, areaFactsOf, blocksOfArea } from '../areas/area.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { exchangedFault } from '../exchanged-coordinates.ts';
import { faultOfPoint, isPoint, numberOrNull } from '../origins/origin-block.ts';
import {
  type LocatedSite,
  locateSites,
  type Site,
  type SiteError,
  type SiteList,
} from './locate-sites.ts';
import { measureSites } from './measure-sites.ts';
import { blocksReached } from './site-reach.ts';
import { areaRows, type SentSite, siteColumns, siteRows } from './site-table.ts';
import { readWeight, WeightedArea } from './weighted-area.ts';

/** Sites, candidates, and the measures of them that a request selects. */
export interface SitesQuery {
  readonly sites: readonly Site[];
  readonly candidates: readonly Site[];
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
 * price of a request that is not yet located is that without any.
 */
export function priceOfSites({ sites, candidates }: SitesQuery): number {
  const { site, sites_minimum } = PLANS.charges;
  return Math.max(sites_minimum, (sites.length + candidates.length) * site);
}

/** Responds to a request about sites. */
export async function querySites(
  release: Release,
  { format }: Pick<QueryContext, 'format'>,
  query: LocatedQuery,
): Promise<QueryResult> {
  const { sites, candidates, sent, errors } = query;
  const reaching = { release, mode: query.mode, direction: query.direction };
  const most = query.minutes[query.minutes.length - 1];
  const parts = query.parts ?? (await blocksReached([...sites, ...candidates], most, reaching));
  const area = new WeightedArea(parts, await readWeight(parts, query.weights[0], reaching));
  const measures = await measureSites({ ...query, release, area });
  const tokens = priceOfSites(query);
  const counties = parts.map(({ index, ordinals: [first] }) =>
    countyOf(geoidFromNumber(index.geoids[first])),
  );
  const facts = { ...areaFactsOf(parts), counties };
  const ending = { errors, precision: 'block' };
  if (format.name === 'json') {
    return { body: { area: facts, ...measures, ...ending }, tokens };
  }
  const columns = siteColumns(query);
  const rows = format.rows(columns.columns);
  const add = rows.of(POINT, columns);
  // CSV has nothing but rows; other formats have these sums beside their rows.
  if (format.name === 'csv') for (const row of areaRows({ measures })) add(row, row);
  const lists = { sites: sent.sites.map(asSent), candidates: sent.candidates.map(asSent) };
  for (const row of siteRows({ sent: lists, errors, measures })) {
    add(row, row);
    const pause = release.turns.yieldIfOverdue();
    if (pause) await pause;
  }
  return { body: { area: facts, results: measures.results, ...ending, rows }, tokens };
}

const POINT = new Geometry<Pick<Site, 'lon' | 'lat'>>((site) =>
  isPoint(site) ? pointAt(site.lon, site.lat) : undefined,
);

/** The site of a row; text sent as a coordinate is in the detail of its error. */
function asSent({ id, lon, lat }: Site): SentSite {
  return { id, lon: numberOrNull(lon), lat: numberOrNull(lat) };
}

/** A request with the sites and candidates that have blocks, and the area to measure them over. */
export interface LocatedQuery extends SitesQuery {
  /** The blocks of the area; null for all within reach. */
  readonly parts: readonly CountyBlocks[] | null;
  readonly sites: readonly LocatedSite[];
  readonly candidates: readonly LocatedSite[];
  /** The sites and candidates as sent. */
  readonly sent: Readonly<Record<SiteList, readonly Site[]>>;
  readonly errors: readonly SiteError[];
}

/** Finds the blocks of sites and candidates, and those of the area. */
export async function locateQuery(release: Release, query: SitesQuery): Promise<LocatedQuery> {
  // Refuses an area that the release lacks before any point is located.
  const parts = query.area && (await blocksOfArea(release, query.area));
  const counties = new Set<CountyFips>();
  const mostCounties = parts ? Number.POSITIVE_INFINITY : LIMITS.areaCounties;
  const locating = { mode: query.mode, counties, mostCounties };
  const found = await locateSites(release, 'sites', query.sites, locating);
  const offered = await locateSites(release, 'candidates', query.candidates, locating);
  const errors = [...found.errors, ...offered.errors];
  if (found.located.length + offered.located.length === 0) throw noneLocated(errors);
  return {
    ...query,
    parts,
    sites: found.located,
    candidates: offered.located,
    sent: { sites: query.sites, candidates: query.candidates },
    errors,
  };
}

/**
 * Throws `invalid-parameters` if the coordinates of every site and candidate are exchanged or
 * malformed: the fault is then of the request, not of a site.
 */
export function refuseMisplaced(
  release: Release,
  query: Readonly<Record<SiteList, readonly Site[]>>,
): void {
  const faults: ParameterIssue[] = [];
  for (const list of ['sites', 'candidates'] as const) {
    for (const [i, site] of query[list].entries()) {
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

/** Errors stated in the problem of a request without a site that can be measured. */
const MAX_STATED = 3;

function noneLocated(errors: readonly SiteError[]): Problem {
  const stated = errors.slice(0, MAX_STATED).map(({ id, detail }) => `${id}: ${detail}`);
  if (errors.length > MAX_STATED) stated.push(`and ${errors.length - MAX_STATED} more`);
  return new Problem('point-not-covered', `no site can be measured: ${stated.join('; ')}`);
}
