import { Problem } from '../../../portal/http/problem.ts';
import { PLANS } from '../../../portal/plans.ts';
import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes, ReleaseMode } from '../../../shards/units.ts';
import { LIMITS } from '../../bounds.ts';
import type { QueryResult } from '../../endpoint.ts';
import { Rows } from '../../formats/rows.ts';
import type { QueryContext } from '../../services.ts';
import { type Area, areaFactsOf, blocksOfArea } from '../areas/area.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import {
  countiesOf,
  type LocatedSite,
  locateSites,
  type Site,
  type SiteError,
  type SiteList,
} from './locate-sites.ts';
import { measureSites } from './measure-sites.ts';
import { addSiteRows, siteColumns } from './site-rows.ts';
import { WeightedArea } from './weighted-area.ts';

/** Sites, candidates, and the measures of them that a request selects. */
export interface SitesQuery {
  readonly sites: readonly Site[];
  readonly candidates: readonly Site[];
  /** Number of candidates to choose; 0 for none. */
  readonly choose: number;
  /** Number of blocks to list that no site covers; 0 for none. */
  readonly uncovered: number;
  /** Null for the counties of the sites, or of the candidates if there are no sites. */
  readonly area: Area | null;
  readonly mode: ReleaseMode;
  readonly direction: Direction;
  /** The first is the weight of sites, gains, choices and uncovered blocks. */
  readonly weights: readonly string[];
  /** Ascending. */
  readonly minutes: readonly Minutes[];
}

/** Returns the price of a request in tokens; points without a block to route from are free. */
export function priceOfSites({ sites, candidates }: LocatedQuery): number {
  const { site, sites_minimum } = PLANS.charges;
  return Math.max(sites_minimum, (sites.length + candidates.length) * site);
}

/** Responds to a request about sites. */
export async function querySites(
  release: Release,
  { waiters, format }: Pick<QueryContext, 'waiters' | 'format'>,
  query: LocatedQuery,
): Promise<QueryResult> {
  const { parts, sites, candidates, errors } = query;
  const area = await WeightedArea.of(release, parts, query, waiters);
  const measures = await measureSites({ ...query, release, area, waiters });
  const tokens = priceOfSites(query);
  const facts = areaFactsOf(parts);
  const ending = { errors, precision: 'block' };
  if (format.name === 'json') {
    const uncovered = measures.uncovered.map(({ block, count }) => ({ block, count }));
    return { body: { area: facts, ...measures, uncovered, ...ending }, tokens };
  }
  const columns = siteColumns(query);
  const rows = new Rows(format);
  await addSiteRows(rows, columns, sites, candidates, measures, waiters);
  return { body: { area: facts, results: measures.results, ...ending, rows }, tokens, columns };
}

/** A request with the sites and candidates that have blocks, and the area to measure them over. */
export interface LocatedQuery extends Omit<SitesQuery, 'sites' | 'candidates'> {
  readonly parts: readonly CountyBlocks[];
  readonly sites: readonly LocatedSite[];
  readonly candidates: readonly LocatedSite[];
  readonly errors: readonly SiteError[];
}

/** Finds the blocks of sites and candidates, and those of the area. */
export async function locateQuery(
  release: Release,
  query: SitesQuery,
  waiters: Waiters,
): Promise<LocatedQuery> {
  // Refuses an area that the release lacks before any point is located.
  const sent = query.area && (await blocksOfArea(release, query.area, waiters));
  const locateList = (list: SiteList, isArea: boolean) => {
    const mostCounties = isArea ? LIMITS.areaCounties : Number.POSITIVE_INFINITY;
    return locateSites(release, list, query[list], { mode: query.mode, mostCounties }, waiters);
  };
  const found = await locateList('sites', sent === null);
  const isOfCandidates = sent === null && found.located.length === 0;
  const offered = await locateList('candidates', isOfCandidates);
  const points = isOfCandidates ? offered.located : found.located;
  return {
    ...query,
    parts: sent ?? (await blocksOfArea(release, countiesAround(points), waiters)),
    sites: found.located,
    candidates: offered.located,
    errors: [...found.errors, ...offered.errors],
  };
}

/**
 * Returns the counties that points lie in, as an area; throws `point-not-covered` if there are no
 * points.
 */
function countiesAround(points: readonly LocatedSite[]): Area {
  if (points.length > 0) return { kind: 'counties', fips: countiesOf(points) };
  throw new Problem(
    'point-not-covered',
    'no site is in a block of this release that its mode can be routed from',
  );
}
