import { z } from 'zod';
import { blockMetadata } from '../answers/summary.ts';
import type { Batch } from '../batch/batch.ts';
import { type Point, pointBatch, poisLookUp, summaryLookUp } from '../batch/block-origins.ts';
import {
  ALL_WELL,
  answerNamed,
  BATCH_MEMBERS,
  BATCH_PROBLEMS,
  BATCH_RULES,
  ORIGIN_POINT,
} from '../batch/described.ts';
import { pointOrigins as origins } from '../batch/origin-lists.ts';
import { postedEndpoint } from '../endpoint.ts';
import { CATEGORY_TIMES, POI_TIMES, withOrigin } from '../formats/row-table.ts';
import { destIdMember, maxMinutesMember, modeMember, typeMember } from '../schemas/body-members.ts';
import { categoryTime, POI_TIME_EXAMPLE, poiTime } from '../schemas/schemas.ts';

const truncated = z.array(z.object(ORIGIN_POINT));
const ORIGIN_COLUMNS = Object.keys(ORIGIN_POINT);
const requestPoint = { lat: 36.0211, lon: -70.0123 };
const point = { origin_lat: 36.0211, origin_lon: -70.0123 };
const resolved = { ...point, resolved_block: '990010001001000' };

const pointsSummary = postedEndpoint({
  access: 'posted',
  path: '/v1/point/summary',
  operationId: 'getPointSummaries',
  summary: 'Summaries of many points',
  description: `What \`GET /v1/point/summary\` answers, for many points.${BATCH_RULES}`,
  tag: 'Points',
  body: z.strictObject({ origins, mode: modeMember, type: typeMember }),
  requestExample: { origins: [requestPoint], mode: ['walk'] },
  table: withOrigin(CATEGORY_TIMES, ORIGIN_COLUMNS),
  response: z.object({
    results: z.array(categoryTime.extend(ORIGIN_POINT)),
    origins: z.array(
      z.object({
        ...ORIGIN_POINT,
        resolved_block: z.string(),
        population: z.int().nullable(),
        land_area_m2: z.number().nullable(),
      }),
    ),
    truncated,
    ...BATCH_MEMBERS,
  }),
  example: {
    results: [{ ...point, dest_type_id: 101, mode: 'walk', travel_time: 12.3 }],
    origins: [{ ...resolved, population: 61, land_area_m2: 9216 }],
    ...ALL_WELL,
  },
  problems: BATCH_PROBLEMS,
  plan(release, { origins, ...cells }): Batch<Point> {
    const { modes, rowsOf } = summaryLookUp(release, cells);
    return pointBatch(release, origins, modes, async (block, askers, name) => {
      const { geoid, ...metadata } = blockMetadata(block);
      return {
        rows: await rowsOf(block, name, askers),
        about: { ...name, resolved_block: geoid, ...metadata },
      };
    });
  },
  answer: (_release, batch, making, balance) => answerNamed(batch, making, balance, 'origins'),
});

const pointsPois = postedEndpoint({
  access: 'posted',
  path: '/v1/point/pois',
  operationId: 'listPointsPois',
  summary: 'Places within reach of many points',
  description: `All rows of \`GET /v1/point/pois\`, for many points.${BATCH_RULES}`,
  tag: 'Points',
  body: z.strictObject({
    origins,
    mode: modeMember,
    type: typeMember,
    dest_id: destIdMember,
    max_minutes: maxMinutesMember,
  }),
  requestExample: { origins: [requestPoint], max_minutes: 10 },
  table: withOrigin(POI_TIMES, ORIGIN_COLUMNS),
  response: z.object({
    results: z.array(poiTime.extend(ORIGIN_POINT)),
    origins: z.array(z.object({ ...ORIGIN_POINT, resolved_block: z.string() })),
    truncated,
    ...BATCH_MEMBERS,
  }),
  example: {
    results: [{ ...point, ...POI_TIME_EXAMPLE }],
    origins: [resolved],
    ...ALL_WELL,
  },
  problems: BATCH_PROBLEMS,
  plan(release, { origins, ...query }): Batch<Point> {
    const { modes, rowsOf } = poisLookUp(release, query);
    return pointBatch(release, origins, modes, async (block, askers, name) => ({
      rows: await rowsOf(block, name, askers),
      about: { ...name, resolved_block: block.geoid },
    }));
  },
  answer: (_release, batch, making, balance) => answerNamed(batch, making, balance, 'origins'),
});

export const pointBatches = [pointsSummary, pointsPois];
