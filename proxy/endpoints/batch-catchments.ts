import { z } from 'zod';
import { type Batch, NO_LIMIT, originError, rowBudgetOf } from '../batch/batch.ts';
import { BATCH_MEMBERS, BATCH_PROBLEMS, BATCH_RULES, batchResponse } from '../batch/batch-docs.ts';
import { destIdOf, type PoiOrigin, poiOrigins } from '../batch/origin-lists.ts';
import { postEndpoint } from '../endpoint.ts';
import { members } from '../fields/field.ts';
import { blocks, maxMinutes, maxRows, mode, names, WINDOW } from '../fields/rows.ts';
import { PLANS } from '../plans.ts';
import { modePositions } from '../queries/modes-and-types.ts';
import {
  catchmentColumns,
  catchmentOf,
  catchmentRow,
  homeCounty,
} from '../queries/pois/catchment.ts';
import { tenthsWithin } from '../queries/pois/poi-times.ts';
import { ROW_BEGINS } from '../queries/rows/row-page.ts';

export const poisCatchment = postEndpoint({
  access: 'posted',
  path: '/v1/pois/catchment',
  operationId: 'listPoisCatchments',
  summary: 'Catchments of many POIs',
  description: `All rows of \`GET /v1/pois/{dest_id}/catchment\` for many POIs.${BATCH_RULES}`,
  tag: 'POIs',
  body: members({
    dest_ids: poiOrigins,
    max_minutes: maxMinutes,
    mode,
    ...WINDOW,
    block: blocks,
    names,
    max_rows: maxRows,
  }),
  requestExample: ({ block, mode, poi, maxMinutes }) => ({
    dest_ids: [poi.dest_id],
    max_minutes: maxMinutes,
    mode: [mode],
    block: [block],
  }),
  rows: { geometry: null },
  responseDescription: 'Minutes to each POI from the blocks that reach it.',
  response: z.object({
    results: z.array(catchmentRow),
    truncated: z.array(z.int()),
    ...BATCH_MEMBERS,
  }),
  problems: BATCH_PROBLEMS,
  resolve(release, { dest_ids, max_rows, ...query }, services): Batch<PoiOrigin> {
    const { max_minutes, mode, block, names } = query;
    const filter = {
      modes: modePositions(release, mode, 'body'),
      blocks: block && new Set(block),
      maxTenths: tenthsWithin(max_minutes),
      withName: names,
    };
    const all = { position: ROW_BEGINS, limit: NO_LIMIT };
    const look = async (poi: PoiOrigin) => {
      const destId = destIdOf(poi);
      const county = await homeCounty(release, destId);
      return { rows: await catchmentOf(release, county, destId, filter, all) };
    };
    return {
      origins: dest_ids,
      rowBudget: rowBudgetOf({ max_rows }, services),
      turns: release.turns,
      rowPrice: PLANS.charges.row,
      columns: catchmentColumns(filter),
      identify: (poi) => (typeof poi === 'object' ? { dest_id: null, ...poi } : { dest_id: poi }),
      shorten: (poi) => (typeof poi === 'object' ? null : poi),
      respond: (destId) => look(destId).catch(originError),
    };
  },
  respond: (_release, batch, context, balance) => batchResponse(batch, context, balance),
});
