import { z } from 'zod';
import type { Release } from '../../shards/release/release.ts';
import { type Batch, rowBudgetOf } from '../batch/batch.ts';
import { BATCH_MEMBERS, BATCH_PROBLEMS, BATCH_RULES, batchResponse } from '../batch/batch-docs.ts';
import { BLOCKS, type OriginKind, originBatch, POINTS } from '../batch/origin-kinds.ts';
import { blockOrPointOrigins, type Point, type SentBlock } from '../batch/origin-lists.ts';
import { meteredEndpoint, postEndpoint, type QueryResult, rowsResponse } from '../endpoint.ts';
import { AREA_PROBLEMS, areaItem, requestedArea } from '../fields/area.ts';
import { members, NONE, parameters, required } from '../fields/field.ts';
import { geoid, lat, lon } from '../fields/locations.ts';
import { ACCESS, AREA_ACCESS } from '../fields/opportunities.ts';
import { cursor, limit, maxRows, mode, WINDOW } from '../fields/rows.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { blockMetadata } from '../queries/nearest/summary.ts';
import {
  type AccessParams,
  type AccessQuery,
  accessColumns,
  accessOf,
  opportunityCount,
  requestedAccess,
} from '../queries/opportunities/access.ts';
import {
  type LocatedAreaAccess,
  locateAreaAccess,
  queryAreaAccess,
  type ResolvedAreaAccess,
  requestedAreaAccess,
} from '../queries/opportunities/area-access.ts';
import { opportunityObjects } from '../queries/opportunities/opportunities.ts';
import {
  type BlockOrigin,
  locateOrigin,
  type OriginBlock,
  originOfGeoid,
  originOfQuery,
  type ResolvedBlock,
} from '../queries/origins/origin-block.ts';
import { unroutedMetadata, unroutedModes } from '../queries/origins/unrouted.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { rowSchema } from '../queries/rows/row-columns.ts';
import { areaFacts } from '../schemas/coverage-schemas.ts';
import { blockMetadata as blockMetadataSchema, nextCursor, unrouted } from '../schemas/schemas.ts';
import type { QueryContext } from '../services.ts';
import { AREA_ACCESS_RULES } from './area-access.ts';

const QUERY = { mode, ...WINDOW, ...ACCESS };
const RESPONSE = { block: blockMetadataSchema, results: z.array(opportunityCount), unrouted };

const RULES =
  ' `of` is a weight of the blocks, such as `people` or `jobs`, or `type:ID` for POIs. Blocks of ' +
  'this release count by whole minutes up to 60, the origin itself included; POIs by tenths of a ' +
  'minute up to 30. Ordered by `of`, mode id, minutes. A mode that could not be routed from the ' +
  'block has no rows and is listed in `unrouted`. One token per row, at least one.';

interface ResolvedAccess extends ResolvedQuery, ResolvedBlock {
  readonly access: AccessQuery;
}

function resolve(
  release: Release,
  route: string,
  origin: BlockOrigin,
  where: object,
  asked: AccessParams,
): ResolvedAccess {
  const { access, resolved } = requestedAccess(release, asked);
  const { opportunities, direction } = access;
  return {
    origin,
    access,
    canonical: canonicalRequest(route, { ...where, ...resolved }),
    dependsOn: [
      ...origin.counties.flatMap(({ objects }) => [
        ...('county' in origin ? [] : [objects.blocks]),
        objects.index,
      ]),
      ...opportunityObjects(release, origin, opportunities, direction),
    ],
  };
}

async function respond(
  { format }: QueryContext,
  { access }: ResolvedAccess,
  block: OriginBlock,
  originMembers: object,
): Promise<QueryResult> {
  const results = format.rows(accessColumns(access).columns);
  await accessOf(block, access).addTo(results);
  const missing = unroutedMetadata(unroutedModes(block, access.modes));
  return rowsResponse({ ...originMembers, results, ...missing }, results.count);
}

const blockAccess = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/access',
  operationId: 'getBlockAccess',
  summary: 'How many people, jobs or POIs are within reach of a block',
  description: `Cumulative opportunities by minutes, or one sum that decays with time.${RULES}`,
  tag: 'Blocks',
  params: parameters({ geoid }),
  query: parameters(QUERY),
  rows: { geometry: null },
  responseDescription: 'The block, and the opportunities within reach of it.',
  response: z.object(RESPONSE),
  problems: ['block-not-found', 'direction-not-available'],
  resolve: (release, { params: { geoid }, query }) =>
    resolve(release, 'block-access', originOfGeoid(release, geoid), { geoid }, query),
  locate: (release, { origin }) => locateOrigin(release, origin),
  respond: (_release, resolved, context, block) =>
    respond(context, resolved, block, { block: blockMetadata(block) }),
});

const pointAccess = meteredEndpoint({
  access: 'metered',
  path: '/v1/point/access',
  operationId: 'getPointAccess',
  summary: 'How many people, jobs or POIs are within reach of the block of a point',
  description: `The point is resolved to the census block that contains it.${RULES}`,
  tag: 'Points',
  params: NONE,
  query: parameters({ lat, lon, ...QUERY }),
  rows: { geometry: null },
  responseDescription: 'The block of the point, and the opportunities within reach of it.',
  response: z.object({ resolved_block: z.string(), ...RESPONSE }),
  problems: ['point-not-covered', 'direction-not-available'],
  resolve: (release, { query: { lat, lon, ...query } }) =>
    resolve(release, 'point-access', originOfQuery(release, lon, lat), { lat, lon }, query),
  locate: (release, { origin }) => locateOrigin(release, origin),
  respond(_release, resolved, context, block) {
    const origin = { resolved_block: block.geoid, block: blockMetadata(block) };
    return respond(context, resolved, block, origin);
  },
});

const ORIGIN = rowSchema(BLOCKS.columns, POINTS.columns);

const AREA_BODY = members({
  area: required({ json: areaItem }),
  mode,
  ...WINDOW,
  ...AREA_ACCESS,
  limit,
  cursor,
});

type AskedBatch = Batch<SentBlock> | Batch<Point>;

const batchAccess = postEndpoint({
  access: 'posted',
  path: '/v1/access',
  operationId: 'getAccess',
  summary: 'How many people, jobs or POIs are within reach of many blocks or points, or of an area',
  description:
    '`GET /v1/blocks/{geoid}/access` or `/v1/point/access` for many `origins`: all GEOIDs, or all ' +
    `points.${BATCH_RULES} With \`area\`, \`GET /v1/counties/{fips}/access\` for any area. ${AREA_ACCESS_RULES}`,
  tag: 'Blocks',
  body: members({
    origins: blockOrPointOrigins,
    mode,
    ...WINDOW,
    ...ACCESS,
    max_rows: maxRows,
  }),
  bodyWith: { member: 'area', body: AREA_BODY },
  requestExample: ({ block, mode }) => ({ origins: [block], mode: [mode], minutes: [30] }),
  rows: { geometry: null },
  responseDescription: 'The opportunities within reach of each origin.',
  response: z.object({
    area: areaFacts.optional(),
    results: z.array(opportunityCount.extend(ORIGIN.partial().shape)),
    truncated: z.array(z.union([BLOCKS.short, POINTS.short])).optional(),
    errors: BATCH_MEMBERS.errors.optional(),
    truncated_reason: BATCH_MEMBERS.truncated_reason.optional(),
    next_cursor: nextCursor.optional(),
  }),
  problems: [
    ...BATCH_PROBLEMS,
    ...AREA_PROBLEMS,
    'point-not-covered',
    'direction-not-available',
    'invalid-cursor',
  ],
  async resolve(release, asked, services): Promise<AskedBatch | ResolvedAreaAccess> {
    if ('area' in asked) {
      const { area: sent, ...params } = asked;
      const found = { where: { area: sent }, area: await requestedArea(sent, release.turns) };
      const { cursors } = services;
      return requestedAreaAccess(release, cursors, { route: 'access', ...found }, params, 'body');
    }
    const { origins } = asked;
    const { access } = requestedAccess(release, asked, 'body');
    const { modes } = access;
    const { columns } = accessColumns(access);
    const rowBudget = rowBudgetOf(asked, services);
    const batchOf = <O>(kind: OriginKind<O>, list: readonly O[]) =>
      originBatch(release, kind, { origins: list, rowBudget, modes, columns }, (block, origin) => ({
        rows: accessOf(block, access, origin),
      }));
    return isBlocks(origins) ? batchOf(BLOCKS, origins) : batchOf(POINTS, origins);
  },
  locate: async (release, asked): Promise<AskedBatch | LocatedAreaAccess> =>
    'area' in asked ? locateAreaAccess(release, asked) : asked,
  price: (asked: AskedBatch | ResolvedAreaAccess | LocatedAreaAccess) =>
    'subjects' in asked ? asked.tokens : undefined,
  respond: (release, asked, context, balance) =>
    'area' in asked
      ? queryAreaAccess(release, asked, context)
      : batchResponse(asked as Batch<unknown>, context, balance),
});

function isBlocks(
  origins: readonly SentBlock[] | readonly Point[],
): origins is readonly SentBlock[] {
  return typeof origins[0] !== 'object' || origins[0] === null;
}

export const access = [blockAccess, pointAccess, batchAccess];
