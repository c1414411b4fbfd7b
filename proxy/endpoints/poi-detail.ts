import type { CountyManifest } from '../../shards/release/manifest.ts';
import type { DestId } from '../../shards/units.ts';
import { meteredEndpoint, rowsResponse } from '../endpoint.ts';
import { NONE, parameters } from '../fields/field.ts';
import { poiOfPath } from '../fields/rows.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { homeCounty, poiOrdinal } from '../queries/pois/catchment.ts';
import { POI_DETAIL, POI_POINT, poiDetailSchema } from '../queries/pois/poi-columns.ts';
import { poiOf } from '../queries/pois/poi-search.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';

interface ResolvedPoiDetail extends ResolvedQuery {
  readonly destId: DestId;
  readonly county: CountyManifest;
}

export const poiDetail = meteredEndpoint({
  access: 'metered',
  path: '/v1/pois/{dest_id}',
  operationId: 'getPoi',
  summary: 'Details of a POI',
  description: 'The types, address and brand of a POI, where known. One token.',
  tag: 'POIs',
  params: parameters({ dest_id: poiOfPath }),
  query: NONE,
  rows: { geometry: 'point' },
  responseDescription: 'The POI.',
  response: poiDetailSchema,
  problems: ['poi-not-found'],

  async resolve(release, { params: { dest_id: destId } }): Promise<ResolvedPoiDetail> {
    const county = await homeCounty(release, destId);
    return {
      canonical: canonicalRequest('poi-detail', { dest_id: destId }),
      dependsOn: [county.objects.catchment],
      destId,
      county,
    };
  },

  async respond(release, { county, destId }, { format }) {
    const catchments = await release.catchments(county);
    const poi = poiOf(catchments, poiOrdinal(catchments, destId));
    const detail = POI_DETAIL.membersOf(poi);
    if (format.name === 'json') return rowsResponse(detail, 1);
    const rows = format.rows(POI_DETAIL.columns);
    rows.of(POI_POINT, POI_DETAIL)(poi, poi);
    return rowsResponse({ ...detail, rows }, 1);
  },
});
