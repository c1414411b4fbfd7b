import { Problem } from '../../../portal/http/problem.ts';
import { PLANS } from '../../../portal/plans.ts';
import { linkModeOf } from '../../../shards/blocks/block-index.ts';
import { runCooperatively } from '../../../shards/concurrency/yielding.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes } from '../../../shards/units.ts';
import { LIMITS } from '../../bounds.ts';
import type { QueryResult } from '../../endpoint.ts';
import { Rows } from '../../formats/rows.ts';
import type { QueryContext } from '../../services.ts';
import { type Area, areaFactsOf, blocksOfArea } from '../areas/area.ts';
import { type CoverBits, greedyCoverSteps } from './greedy-cover.ts';
import {
  countiesOf,
  type LocatedSite,
  locateSites,
  type Site,
  type SiteList,
} from './locate-sites.ts';
import { coverOf, NearestSite, reachesOf, WeightedArea, withinOf } from './site-coverage.ts';
import { addSiteRows, type SumsByMinutes, siteColumns } from './site-rows.ts';
import { uncoveredBlocks } from './uncovered-blocks.ts';

/** Sites, candidates, and the measures that a request wants of them. */
export interface SitesQuery {
  readonly sites: readonly Site[];
  readonly candidates: readonly Site[];
  /** Number of candidates to choose; 0 for none. */
  readonly choose: number;
  /** Number of blocks to list that no site covers; 0 for none. */
  readonly uncovered: number;
  /** Null for the counties of the sites, or of the candidates if there are no sites. */
  readonly area: Area | null;
  /** Position among the release's modes. */
  readonly mode: number;
  readonly direction: Direction;
  /** The first is that of sites, gains, choices and uncovered blocks. */
  readonly weights: readonly string[];
  /** Ascending. */
  readonly minutes: readonly Minutes[];
}

/** Tokens for a request, whatever its response. */
export function priceOfSites({ sites, candidates }: SitesQuery): number {
  const { site, sites_minimum } = PLANS.charges;
  return Math.max(sites_minimum, (sites.length + candidates.length) * site);
}

/** The response to a request about sites. */
export async function querySites(
  release: Release,
  { waiters, format }: Pick<QueryContext, 'waiters' | 'format'>,
  query: SitesQuery,
): Promise<QueryResult> {
  const { mode, weights, minutes } = query;
  // Refuses an area that the release lacks before any point is located.
  const sent = query.area && (await blocksOfArea(release, query.area, waiters));
  const locate = (list: SiteList, isArea: boolean) => {
    const mostCounties = isArea ? LIMITS.areaCounties : Number.POSITIVE_INFINITY;
    return locateSites(release, list, query[list], { mode, mostCounties }, waiters);
  };
  const found = await locate('sites', sent === null);
  const offered = await locate('candidates', sent === null && found.located.length === 0);
  const points = found.located.length > 0 ? found.located : offered.located;
  const parts = sent ?? (await blocksOfArea(release, countiesAround(points), waiters));
  const area = await WeightedArea.of(release, parts, mode, weights, waiters);
  const [weight] = area.weights;
  const byMinutes = (sums: Float64Array): SumsByMinutes =>
    Object.fromEntries(minutes.map((minute) => [String(minute), sums[minute]]));

  const nearest = new NearestSite(area.geoids.length);
  const reached: Float64Array[] = [];
  for await (const { reach } of reachesOf(release, found.located, area, query, waiters)) {
    nearest.add(reach);
    reached.push(withinOf(reach, weight));
  }
  const alone = nearest.alone(weight);
  const sites = found.located.map((site, i) => ({
    ...nameOf(site),
    within: byMinutes(reached[i]),
    overlap: byMinutes(reached[i].map((sum, minute) => sum - alone[i][minute])),
  }));

  const gains: { id: Site['id']; block: string; gain: SumsByMinutes }[] = [];
  const covers: CoverBits[] = [];
  for await (const { site, reach } of reachesOf(release, offered.located, area, query, waiters)) {
    gains.push({ ...nameOf(site), gain: byMinutes(nearest.gain(reach, weight)) });
    if (query.choose > 0) covers.push(coverOf(reach, area.geoids.length, minutes[0]));
  }

  const covered = nearest.covered(minutes[0]);
  let total_within = nearest.within(weight)[minutes[0]];
  const steps = greedyCoverSteps(covers, covered, weight, query.choose);
  const chosen = (await runCooperatively(waiters, steps)).map(({ candidate, gain }) => {
    total_within += gain;
    return { id: offered.located[candidate].id, gain, total_within };
  });

  const last = minutes[minutes.length - 1];
  const label = release.manifest.modes[mode];
  const street = linkModeOf(label);
  const gaps =
    query.uncovered === 0
      ? []
      : await uncoveredBlocks(parts, area, nearest, street, last, query.uncovered, waiters);
  const results = weights.map((name, w) => {
    const sums = nearest.within(area.weights[w]);
    const [total, no_data] = [area.totals[w], area.noData[w]];
    const beyond = total - no_data - sums[last];
    return { mode: label, weight: name, total, within: byMinutes(sums), beyond, no_data };
  });
  const tokens = priceOfSites(query);
  const errors = [...found.errors, ...offered.errors];
  const facts = { area: areaFactsOf(parts), results };
  if (format.name === 'json') {
    const uncovered = gaps.map(({ block, count }) => ({ block, count }));
    const lists = { sites, gains, chosen, uncovered };
    return { body: { ...facts, ...lists, errors, precision: 'block' }, tokens };
  }
  const columns = siteColumns(query);
  const rows = new Rows(format);
  addSiteRows(rows, columns, found.located, offered.located, { sites, gains, chosen, gaps });
  return { body: { ...facts, errors, precision: 'block', rows }, tokens, columns };
}

function nameOf({ id, block }: LocatedSite) {
  return { id, block: block.geoid };
}

/** The counties that some points lie in. */
function countiesAround(points: readonly LocatedSite[]): Area {
  if (points.length > 0) return { kind: 'counties', fips: countiesOf(points) };
  throw new Problem(
    'point-not-covered',
    'no site is in a block of this release that its mode can be routed from',
  );
}
