import { z } from 'zod';
import type { DestId } from '../../shards/units.ts';
import {
  CATCHMENT_BEGINS,
  catchmentPage,
  catchmentRow,
  homeCounty,
} from '../answers/catchment-page.ts';
import { modePositions } from '../answers/modes-and-types.ts';
import { tenthsWithin } from '../answers/poi-times.ts';
import { type Batch, checkOrigins, NO_LIMIT, originError } from '../batch/batch.ts';
import {
  ALL_WELL,
  answerNamed,
  BATCH_MEMBERS,
  BATCH_PROBLEMS,
  BATCH_RULES,
} from '../batch/described.ts';
import { poiOrigins } from '../batch/origin-lists.ts';
import { postedEndpoint } from '../endpoint.ts';
import { CATCHMENT } from '../formats/row-table.ts';
import { blockMember, maxMinutesMember, modeMember } from '../openapi/body-members.ts';
import { catchmentRow as catchmentRowSchema } from '../openapi/schemas.ts';

export const poisCatchment = postedEndpoint({
  access: 'posted',
  path: '/v1/pois/catchment',
  operationId: 'listPoisCatchments',
  summary: 'Catchments of many places',
  description: `All rows of \`GET /v1/pois/{dest_id}/catchment\`, for many places.${BATCH_RULES}`,
  tag: 'Places to go',
  body: z.strictObject({
    dest_ids: poiOrigins,
    max_minutes: maxMinutesMember,
    mode: modeMember,
    block: blockMember,
  }),
  requestExample: { dest_ids: [4213], max_minutes: 10, mode: ['walk'] },
  table: CATCHMENT,
  response: z.object({
    results: z.array(catchmentRowSchema),
    truncated: z.array(z.int()),
    ...BATCH_MEMBERS,
  }),
  example: {
    results: [{ dest_id: 4213, geoid: '990010001001000', mode: 'walk', travel_time: 7.4 }],
    ...ALL_WELL,
  },
  problems: BATCH_PROBLEMS,
  plan(release, { dest_ids, max_minutes, mode, block }): Batch<DestId> {
    const { modes } = release.manifest;
    const filter = {
      modes: modePositions(release, mode, 'body'),
      blocks: block && new Set(block),
      maxTenths: tenthsWithin(max_minutes),
    };
    const all = { position: CATCHMENT_BEGINS, limit: NO_LIMIT };
    const rowsOf = async (destId: DestId) => {
      const county = await homeCounty(release, destId);
      const { places, row } = await catchmentRow(release, county, destId);
      const page = await catchmentPage(modes, places, row, destId, filter, all);
      return { rows: page.results };
    };
    return {
      origins: checkOrigins(dest_ids, 'dest_ids'),
      identify: (dest_id) => ({ dest_id }),
      shorten: (dest_id) => dest_id,
      answer: (destId) => rowsOf(destId).catch(originError),
    };
  },
  answer: (_release, batch, services, balance) => answerNamed(batch, services, balance),
});
