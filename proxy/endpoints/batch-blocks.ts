import { z } from 'zod';
import { type Batch, rowBudgetOf } from '../batch/batch.ts';
import { BATCH_MEMBERS, BATCH_PROBLEMS, BATCH_RULES, batchResponse } from '../batch/batch-docs.ts';
import { blockBatch, poisLookup, summaryLookup } from '../batch/block-origins.ts';
import { blockOrigins as origins } from '../batch/origin-lists.ts';
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
import { blockMetadata as blockMetadataSchema, categoryTime, poiTime } from '../schemas/schemas.ts';
import { WINDOW_MEMBERS } from '../schemas/window-parameters.ts';

const blocksSummary = postEndpoint({
  access: 'posted',
  path: '/v1/blocks/summary',
  operationId: 'getBlockSummaries',
  summary: 'Summaries of many blocks',
  description: `\`GET /v1/blocks/{geoid}/summary\` for many blocks.${BATCH_RULES}`,
  tag: 'Blocks',
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
  requestExample: ({ block, mode, type }) => ({ origins: [block], mode: [mode], type: [type] }),
  table: withOrigin(CATEGORY_TIMES, ['geoid']),
  responseDescription: 'Minutes to the nearest POI of each type, for each block.',
  response: z.object({
    results: z.array(categoryTime.extend({ geoid: z.string() })),
    blocks: z.array(blockMetadataSchema),
    truncated: z.array(z.string()),
    ...BATCH_MEMBERS,
  }),
  problems: BATCH_PROBLEMS,
  resolve(release, { origins, ...query }, services): Batch<string> {
    const { modes, rowsOf, ...lookup } = summaryLookup(release, query);
    const rowBudget = rowBudgetOf(query, services);
    const columns = ['geoid', ...lookup.columns];
    return blockBatch(release, { origins, rowBudget, modes, columns }, async (block, waiters) => ({
      rows: await rowsOf(block, { geoid: block.geoid }, waiters),
      about: blockMetadata(block),
    }));
  },
  respond: (_release, batch, context, balance) => batchResponse(batch, context, balance, 'blocks'),
});

const blocksPois = postEndpoint({
  access: 'posted',
  path: '/v1/blocks/pois',
  operationId: 'listBlocksPois',
  summary: 'POIs within reach of many blocks',
  description: `All rows of \`GET /v1/blocks/{geoid}/pois\` for many blocks.${BATCH_RULES}`,
  tag: 'Blocks',
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
  requestExample: ({ block, mode, type, maxMinutes }) => ({
    origins: [block],
    mode: [mode],
    type: [type],
    max_minutes: maxMinutes,
  }),
  table: withOrigin(POI_TIMES, ['geoid']),
  responseDescription: 'Minutes to each POI within reach, for each block.',
  response: z.object({
    results: z.array(poiTime.extend({ geoid: z.string() })),
    truncated: z.array(z.string()),
    ...BATCH_MEMBERS,
  }),
  problems: BATCH_PROBLEMS,
  resolve(release, { origins, ...query }, services): Batch<string> {
    const { modes, rowsOf, ...lookup } = poisLookup(release, query);
    const rowBudget = rowBudgetOf(query, services);
    const columns = ['geoid', ...lookup.columns];
    return blockBatch(release, { origins, rowBudget, modes, columns }, async (block, waiters) => ({
      rows: await rowsOf(block, { geoid: block.geoid }, waiters),
    }));
  },
  respond: (_release, batch, context, balance) => batchResponse(batch, context, balance),
});

export const blockBatches = [blocksSummary, blocksPois];
