import { z } from 'zod';
import { type Batch, NO_LIMIT, rowBudgetOf } from '../batch/batch.ts';
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
import { maxRows, POI_ROWS } from '../fields/rows.ts';
import { poiColumns, poisOf, poiTime, requestedPois } from '../queries/pois/poi-times.ts';
import { rowSchema } from '../queries/rows/row-columns.ts';
import { ROW_BEGINS } from '../queries/rows/row-page.ts';

function poiTimes<O>(kind: OriginKind<O>, operationId: string, metadata?: OriginMetadata) {
  return postEndpoint({
    access: 'posted',
    path: `${kind.path}/pois`,
    operationId,
    summary: `POIs within reach of many ${kind.one}s`,
    description: `All rows of \`GET ${kind.singlePath}/pois\` for many ${kind.one}s.${BATCH_RULES}`,
    tag: kind.tag,
    body: members({
      origins: kind.list,
      ...POI_ROWS,
      max_rows: maxRows,
    }),
    requestExample: (marks) => ({
      origins: [kind.example(marks)],
      mode: [marks.mode],
      type: [marks.type],
      max_minutes: marks.maxMinutes,
    }),
    rows: { geometry: 'point' },
    responseDescription: `Minutes to each POI within reach, for each ${kind.one}.`,
    response: z.object({
      results: z.array(poiTime.extend(rowSchema(kind.columns).shape)),
      ...(metadata && { [metadata.list]: z.array(metadata.schema) }),
      truncated: z.array(kind.short),
      ...BATCH_MEMBERS,
    }),
    problems: BATCH_PROBLEMS,
    resolve(release, { origins, ...query }, services): Batch<O> {
      const { filter } = requestedPois(release, query, 'body');
      const request = {
        origins,
        rowBudget: rowBudgetOf(query, services),
        modes: filter.modes,
        columns: poiColumns(filter),
      };
      const all = { position: ROW_BEGINS, limit: NO_LIMIT };
      return originBatch(release, kind, request, async (block, origin) => ({
        rows: await poisOf(block, filter, all, origin),
        about: metadata?.of(block, origin.name),
      }));
    },
    respond: (_release, batch, context, balance) =>
      batchResponse(batch, context, balance, metadata?.list),
  });
}

export const blocksPois = poiTimes(BLOCKS, 'listBlocksPois');

export const pointsPois = poiTimes(POINTS, 'listPointsPois', {
  list: 'origins',
  schema: rowSchema(POINTS.columns).extend({ resolved_block: z.string() }),
  of: ({ geoid }, name) => ({ ...name, resolved_block: geoid }),
});
