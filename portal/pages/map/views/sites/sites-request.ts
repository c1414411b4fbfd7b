import { PLANS } from '../../../../../proxy/plans.ts';
import type { DataOf, Mode, ParamsOf } from '../../../../client/src/index.ts';
import type { PaidRequest } from '../../paid/paid-request.ts';
import { COUNTED_MINUTES, type SitesBy } from '../../state/map-state.ts';
import type { Site } from '../../state/sites.ts';

export type SitesCoverage = DataOf<'measureSites'>;

/** How sites are measured, and by which mode. */
interface SitesQuery extends SitesBy {
  readonly mode: Mode;
}

/** Requests sums of a weight by minutes to the nearest site, and what candidates would add. */
export function sitesRequest(
  sites: readonly Site[],
  query: SitesQuery,
): PaidRequest<SitesCoverage> {
  const body = sitesBody(sites, query);
  const { site, sites_minimum } = PLANS.charges;
  return {
    name: `sites ${JSON.stringify(body)}`,
    price: Math.max(sites_minimum, sites.length * site),
    run: (client, pay, signal) => pay(client.measureSites(body, { signal })),
  };
}

/** The body of `sitesRequest`. */
export function sitesBody(
  sites: readonly Site[],
  { mode, direction, weight, choose }: SitesQuery,
): ParamsOf<'measureSites'> {
  const pointsOf = (wanted: boolean) =>
    sites
      .filter(({ isCandidate }) => isCandidate === wanted)
      .map(({ id, lat, lon }) => ({ id, lat, lon }));
  const candidates = pointsOf(true);
  return {
    sites: pointsOf(false),
    ...(candidates.length > 0 && { candidates, choose }),
    mode,
    direction,
    weight: [weight],
    minutes: COUNTED_MINUTES,
  };
}
