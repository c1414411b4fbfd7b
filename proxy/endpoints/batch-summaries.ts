import { z } from 'zod';
import { type Batch, rowBudgetOf } from '../batch/batch.ts';
import { BATCH_MEMBERS, BATCH_PROBLEMS, BATCH_RULES, batchResponse } from '../batch/batch-docs.ts';
import {
  BLOCKS,
  type OriginKind,
  type OriginMetadata,
  originBatch,
  POINTS,
} from '../batch/origin-kinds.ts';
import { postEndpoint } from '../endpoint.ts';
import { members } from '../fields/field.ts';
import { maxRows, NEAREST_ROWS } from '../fields/rows.ts';
import { requestedCells } from '../queries/modes-and-types.ts';
import {
  blockMetadata,
  categoryTime,
  requestedNth,
  summaryColumns,
  summaryOf,
  summaryRows,
} from '../queries/nearest/summary.ts';
import { rowSchema } from '../queries/rows/row-columns.ts';
import { blockMetadata as blockMetadataSchema } from '../schemas/schemas.ts';

function summaries<O>(
  kind: OriginKind<O>,
  operationId: string,
  { list, schema, of }: OriginMetadata,
) {
  return postEndpoint({
    access: 'posted',
    path: `${kind.path}/summary`,
    operationId,
    summary: `Summaries of many ${kind.one}s`,
    description: `\`GET ${kind.singlePath}/summary\` for many ${kind.one}s.${BATCH_RULES}`,
    tag: kind.tag,
    body: members({
      origins: kind.list,
      ...NEAREST_ROWS,
      max_rows: maxRows,
    }),
    requestExample: (marks) => ({
      origins: [kind.example(marks)],
      mode: [marks.mode],
      type: [marks.type],
    }),
    rows: { geometry: null },
    responseDescription: `Minutes to the nearest POI of each type, for each ${kind.one}.`,
    response: z.object({
      results: z.array(categoryTime.extend(rowSchema(kind.columns).shape)),
      [list]: z.array(schema),
      truncated: z.array(kind.short),
      ...BATCH_MEMBERS,
    }),
    problems: BATCH_PROBLEMS,
    resolve(release, { origins, nth, count_within, ...query }, services): Batch<O> {
      const { filter } = requestedCells(release, query, 'body');
      const nthFilter = requestedNth(filter, { nth, count_within });
      const request = {
        origins,
        rowBudget: rowBudgetOf(query, services),
        modes: filter.modes,
        columns: summaryColumns(filter, nthFilter),
      };
      return originBatch(release, kind, request, async (block, origin) => ({
        rows: summaryRows(
          release,
          await summaryOf(block, filter, nthFilter),
          filter,
          nthFilter,
          origin,
        ),
        about: of(block, origin.name),
      }));
    },
    respond: (_release, batch, context, balance) => batchResponse(batch, context, balance, list),
  });
}

export const blocksSummary = summaries(BLOCKS, 'getBlockSummaries', {
  list: 'blocks',
  schema: blockMetadataSchema,
  of: blockMetadata,
});

export const pointsSummary = summaries(POINTS, 'getPointSummaries', {
  list: 'origins',
  schema: z.object({
    ...rowSchema(POINTS.columns).shape,
    resolved_block: z.string(),
    population: z.int().nullable(),
    land_area_m2: z.number().nullable(),
  }),
  of(block, name) {
    const { geoid, ...metadata } = blockMetadata(block);
    return { ...name, resolved_block: geoid, ...metadata };
  },
});
