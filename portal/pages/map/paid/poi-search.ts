import { PLANS } from '../../../../proxy/plans.ts';
import type { PoiSearchResult } from '../../../client/src/index.ts';
import type { Point } from '../state/point.ts';
import type { PaidRequest } from './paid-request.ts';

export type FoundPoi = PoiSearchResult;

const MOST = 10;
const RADIUS_M = 25_000;

/** Requests up to ten POIs around a point whose names contain some words. */
export function poiSearch(q: string, { lat, lon }: Point): PaidRequest<readonly FoundPoi[]> {
  return {
    name: `pois ${q} ${lat} ${lon}`,
    price: MOST * PLANS.charges.row,
    async run(client, pay, signal) {
      const query = { q, lat, lon, radius_m: RADIUS_M, limit: MOST };
      return (await pay(client.searchPois(query, { signal }))).results;
    },
  };
}
