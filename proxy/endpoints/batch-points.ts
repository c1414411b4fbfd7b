import { z } from 'zod';
import { type Batch, rowBudgetOf } from '../batch/batch.ts';
import {
  BATCH_MEMBERS,
  BATCH_PROBLEMS,
  BATCH_RULES,
  batchResponse,
  ORIGIN_POINT,
} from '../batch/batch-docs.ts';
import { type Point, pointBatch, poisLookup, summaryLookup } from '../batch/block-origins.ts';
import { pointOrigins as origins } from '../batch/origin-lists.ts';
import { postEndpoint } from '../endpoint.ts';
import { CATEGORY_TIMES, POI_TIMES, withOrigin } from '../formats/row-table.ts';
import { blockMetadata } from '../queries/nearest/summary.ts';
import {
  countWithinMember,
  destIdMember,
  maxRowsMember as max_rows,
  maxMinutesMember,
  modeMember,
  namesMember,
  nthMember,
  typeMember,
} from '../schemas/body-members.ts';
import { categoryTime, poiTime } from '../schemas/schemas.ts';
import { WINDOW_MEMBERS } from '../schemas/window-parameters.ts';

const truncated = z.array(z.object(ORIGIN_POINT));
const ORIGIN_COLUMNS = Object.keys(ORIGIN_POINT);

const pointsSummary = postEndpoint({
  access: 'posted',
  path: '/v1/point/summary',
  operationId: 'getPointSummaries',
  summary: 'Summaries of many points',
  description: `\`GET /v1/point/summary\` for many points.${BATCH_RULES}`,
  tag: 'Points',
  body: z.strictObject({
    origins,
    mode: modeMember,
    ...WINDOW_MEMBERS,
    type: typeMember,
    nth: nthMember,
    count_within: countWithinMember,
    names: namesMember,
    max_rows,
  }),
  requestExample: ({ point, mode, type }) => ({ origins: [point], mode: [mode], type: [type] }),
  table: withOrigin(CATEGORY_TIMES, ORIGIN_COLUMNS),
  responseDescription: 'Minutes to the nearest POI of each type, for each point.',
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
  problems: BATCH_PROBLEMS,
  resolve(release, { origins, ...query }, services): Batch<Point> {
    const { modes, rowsOf, ...lookup } = summaryLookup(release, query);
    const rowBudget = rowBudgetOf(query, services);
    const columns = [...ORIGIN_COLUMNS, ...lookup.columns];
    return pointBatch(
      release,
      { origins, rowBudget, modes, columns },
      async (block, waiters, name) => {
        const { geoid, ...metadata } = blockMetadata(block);
        return {
          rows: await rowsOf(block, name, waiters),
          about: { ...name, resolved_block: geoid, ...metadata },
        };
      },
    );
  },
  respond: (_release, batch, context, balance) => batchResponse(batch, context, balance, 'origins'),
});

const pointsPois = postEndpoint({
  access: 'posted',
  path: '/v1/point/pois',
  operationId: 'listPointsPois',
  summary: 'POIs within reach of many points',
  description: `All rows of \`GET /v1/point/pois\` for many points.${BATCH_RULES}`,
  tag: 'Points',
  body: z.strictObject({
    origins,
    mode: modeMember,
    ...WINDOW_MEMBERS,
    type: typeMember,
    dest_id: destIdMember,
    max_minutes: maxMinutesMember,
    names: namesMember,
    max_rows,
  }),
  requestExample: ({ point, mode, type, maxMinutes }) => ({
    origins: [point],
    mode: [mode],
    type: [type],
    max_minutes: maxMinutes,
  }),
  table: withOrigin(POI_TIMES, ORIGIN_COLUMNS),
  responseDescription: 'Minutes to each POI within reach, for each point.',
  response: z.object({
    results: z.array(poiTime.extend(ORIGIN_POINT)),
    origins: z.array(z.object({ ...ORIGIN_POINT, resolved_block: z.string() })),
    truncated,
    ...BATCH_MEMBERS,
  }),
  problems: BATCH_PROBLEMS,
  resolve(release, { origins, ...query }, services): Batch<Point> {
    const { modes, rowsOf, ...lookup } = poisLookup(release, query);
    const rowBudget = rowBudgetOf(query, services);
    const columns = [...ORIGIN_COLUMNS, ...lookup.columns];
    return pointBatch(
      release,
      { origins, rowBudget, modes, columns },
      async (block, waiters, name) => ({
        rows: await rowsOf(block, name, waiters),
        about: { ...name, resolved_block: block.geoid },
      }),
    );
  },
  respond: (_release, batch, context, balance) => batchResponse(batch, context, balance, 'origins'),
});

export const pointBatches = [pointsSummary, pointsPois];
