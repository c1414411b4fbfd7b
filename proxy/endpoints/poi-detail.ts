import type { CountyManifest } from '../../shards/release/manifest.ts';
import type { DestId } from '../../shards/units.ts';
import { meteredEndpoint, rowsResponse } from '../endpoint.ts';
import { NONE, parameters } from '../fields/field.ts';
import { poiOfPath } from '../fields/rows.ts';
import { POIS } from '../formats/row-table.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { homeCounty, poiOrdinal } from '../queries/pois/catchment.ts';
import { poiResult } from '../queries/pois/poi-search.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { poiDetail as poiDetailSchema } from '../schemas/schemas.ts';

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
  table: { ...POIS, columns: [...POIS.columns, 'type_ids', 'attrs.brand'] },
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

  async respond(release, { county, destId }) {
    const catchments = await release.catchments(county);
    const ordinal = poiOrdinal(catchments, destId);
    const { brand, types } = catchments.table.facts(ordinal);
    const attrs = brand === null ? {} : { brand };
    return rowsResponse({ ...poiResult(catchments, ordinal), type_ids: types, attrs }, 1);
  },
});
