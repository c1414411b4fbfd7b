import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { PLANS } from '../../../../../proxy/plans.ts';
import type { Timing } from '../../../../../shards/services.ts';
import type { Area, DataOf, Mode, ParamsOf } from '../../../../client/src/index.ts';
import { timingOf } from '../../catalogue/windows.ts';
import { nearestReach, type Reach } from '../../measures/reach.ts';
import { type Outcomes, type PaidRequest, paidCall, resultOf } from '../../paid/paid-request.ts';
import type { SitesBy } from '../../state/map-state.ts';
import { MAX_ADDRESS_SITES, MAX_UNCOVERED, type Site } from '../../state/sites.ts';
import type { MeasuredSites } from '../map-view.ts';
import { reachRequest } from '../reach/reach-request.ts';

type SitesCoverage = DataOf<'measureSites'>;

interface SitesQuery extends SitesBy {
  /** Sites and candidates of one's own. */
  readonly points: readonly Site[];
  /** The POIs of a type as sites, in place of those of one's own. */
  readonly type: number | null;
  /** The most POIs of the type in the area; null while they are not counted. */
  readonly mostPois: number | null;
  /** Null for all people whom any site or candidate reaches. */
  readonly area: Area | null;
  readonly mode: Mode;
  readonly timing: Timing;
}

/** The requests about some sites, and what has been loaded of them. */
export function measuredSites(query: SitesQuery, requests: Outcomes): MeasuredSites {
  const body = sitesBody(query);
  const request = body && sitesRequest(query, body);
  const coverage = resultOf(requests, request);
  const colours =
    coverage && query.type === null && coverage.sites.length <= MAX_COLOURED
      ? reachesRequest(coverage, query)
      : null;
  const reaches = resultOf(requests, colours);
  const nearest = reaches && nearestReach(reaches);
  return { body, request, coverage, colours, reaches, nearest };
}

function sitesRequest(
  { points, type, mostPois }: SitesQuery,
  body: ParamsOf<'measureSites'>,
): PaidRequest<SitesCoverage> {
  const { site, sites_minimum } = PLANS.charges;
  const candidates = points.filter(({ isCandidate }) => isCandidate).length;
  const { sites: limit } = REQUEST_LIMITS;
  const most = type === null ? points.length : Math.min(mostPois ?? limit, limit) + candidates;
  return paidCall('measureSites', body, Math.max(sites_minimum, most * site));
}

/** The body of the request; null without sites, and for sites of a type without an area. */
function sitesBody(query: SitesQuery): ParamsOf<'measureSites'> | null {
  const { points, type, area, mode, timing, direction, weight, choose, within } = query;
  const listed = (wanted: boolean) =>
    points
      .filter(({ isCandidate }) => isCandidate === wanted)
      .map(({ id, lat, lon }) => ({ id, lat, lon }));
  const candidates = listed(true);
  if (type === null ? points.length === 0 : area === null) return null;
  return {
    sites: type === null ? listed(false) : { type },
    ...(candidates.length > 0 && { candidates, choose }),
    ...(area && { area }),
    mode,
    ...timingOf([mode], timing),
    direction,
    weight: [weight],
    minutes: [within],
    uncovered: MAX_UNCOVERED,
  };
}

/** Sites whose reaches are requested at once: each costs as much as any other reach. */
const MAX_COLOURED = MAX_ADDRESS_SITES;

/** Requests the reach of each measured site, from or to its block, as the sites are measured. */
function reachesRequest(
  { sites }: SitesCoverage,
  { direction, ...by }: SitesQuery,
): PaidRequest<readonly Reach[]> | null {
  const each = sites.map(({ block }) => reachRequest(block, by, direction));
  if (each.length === 0) return null;
  return {
    name: each.map(({ name }) => name).join(),
    price: each.reduce((sum, { price }) => sum + price, 0),
    run: (client, pay, signal) => Promise.all(each.map((one) => one.run(client, pay, signal))),
  };
}
