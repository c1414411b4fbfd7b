import { z } from 'zod';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import type { DestId } from '../../shards/units.ts';
import { BOUNDS } from '../bounds.ts';
import { meteredEndpoint, rowsResponse } from '../endpoint.ts';
import { parameters } from '../fields/field.ts';
import {
  blocks,
  cursor,
  limit,
  maxMinutes,
  mode,
  names,
  poiOfPath,
  WINDOW,
} from '../fields/rows.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { modeLabels, modePositions } from '../queries/modes-and-types.ts';
import {
  type CatchmentFilter,
  catchmentColumns,
  catchmentOf,
  catchmentRow,
  homeCounty,
} from '../queries/pois/catchment.ts';
import { tenthsWithin } from '../queries/pois/poi-times.ts';
import {
  nextCursor as cursorOf,
  type PagedRequest,
  pagedRequest,
} from '../queries/rows/pagination.ts';
import { ROW_BEGINS } from '../queries/rows/row-page.ts';
import { nextCursor } from '../schemas/schemas.ts';

type ResolvedCatchment = ResolvedQuery &
  PagedRequest & {
    readonly destId: DestId;
    readonly county: CountyManifest;
    readonly filter: CatchmentFilter;
  };

export const poiCatchment = meteredEndpoint({
  access: 'metered',
  path: '/v1/pois/{dest_id}/catchment',
  operationId: 'listPoiCatchment',
  summary: 'Minutes to a POI from each block that reaches it',
  description:
    `One row per block and mode within ${BOUNDS.maxMinutes.max} minutes of the POI, ordered by ` +
    'mode id, then GEOID. Paginated. One token per row, at least one per page.',
  tag: 'POIs',
  params: parameters({ dest_id: poiOfPath }),
  query: parameters({
    mode,
    ...WINDOW,
    block: blocks,
    max_minutes: maxMinutes,
    names,
    limit,
    cursor,
  }),
  rows: { geometry: null },
  responseDescription: 'A page of the blocks that reach the POI, with minutes.',
  response: z.object({
    dest_id: z.int(),
    results: z.array(catchmentRow),
    next_cursor: nextCursor,
  }),
  problems: ['poi-not-found', 'invalid-cursor'],

  async resolve(
    release,
    { params: { dest_id: destId }, query },
    { cursors },
  ): Promise<ResolvedCatchment> {
    const county = await homeCounty(release, destId);
    const modes = modePositions(release, query.mode);
    const maxTenths = tenthsWithin(query.max_minutes);
    const { block, names, limit, cursor } = query;
    const sent = {
      dest_id: destId,
      mode: query.mode,
      block,
      max_tenths: maxTenths,
      names: names || undefined,
    };
    const parameters = { sent, resolved: { mode: modeLabels(release, modes) } };
    return {
      ...pagedRequest(cursors, 'catchment', parameters, { limit, cursor }, ROW_BEGINS),
      dependsOn: [county.objects.catchment],
      destId,
      county,
      filter: {
        modes,
        blocks: block && new Set(block),
        maxTenths,
        withName: names,
      },
    };
  },

  async respond(release, { county, destId, filter, page }, { cursors, format }) {
    const found = await catchmentOf(release, county, destId, filter, page);
    const results = format.rows(catchmentColumns(filter));
    await found.addTo(results);
    const next_cursor = cursorOf(cursors, page, found.end);
    return rowsResponse({ dest_id: destId, results, next_cursor }, found.count);
  },
});
