import { z } from 'zod';
import { BOUNDS } from '../bounds.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { NONE, parameters } from '../fields/field.ts';
import { geoid, lat, lon } from '../fields/locations.ts';
import { cursor, limitIfPaged, NEAREST_ROWS } from '../fields/rows.ts';
import {
  blockMetadata,
  categoryTime,
  querySummary,
  type ResolvedSummary,
  resolveSummary,
  timesKind,
} from '../queries/nearest/summary.ts';
import {
  locateOrigin,
  originOfGeoid,
  originOfQuery,
  type ResolvedBlock,
  resolveBlock,
} from '../queries/origins/origin-block.ts';
import {
  blockMetadata as blockMetadataSchema,
  nextCursorIfPaged,
  unrouted,
} from '../schemas/schemas.ts';

const QUERY = {
  ...NEAREST_ROWS,
  limit: limitIfPaged,
  cursor,
};
const RESPONSE = {
  block: blockMetadataSchema,
  results: z.array(categoryTime),
  next_cursor: nextCursorIfPaged,
  unrouted,
};

type ResolvedOriginSummary = ResolvedSummary & ResolvedBlock;

export const blockSummary = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/summary',
  operationId: 'getBlockSummary',
  summary: 'Minutes from a block to the nearest POI of each type',
  description:
    `One row per destination type and mode within ${BOUNDS.maxMinutes.max} minutes. A missing row ` +
    `means "not within ${BOUNDS.maxMinutes.max} minutes", or unknown if the mode is listed in ` +
    '`unrouted`. Ordered by mode id, type id, `nth`. Returns all rows at once; paginated if you ' +
    'send `limit` or `cursor`. `nth` and `count_within` say how much choice there is: one row per ' +
    'n, as far as there are that many POIs. One token per row, at least one.',
  tag: 'Blocks',
  params: parameters({ geoid }),
  query: parameters(QUERY),
  rows: { geometry: null },
  responseDescription: 'The block, and minutes to the nearest POI of each type.',
  response: z.object(RESPONSE),
  problems: ['block-not-found', 'invalid-cursor'],

  resolve(release, { params: { geoid }, query }, { cursors }): ResolvedOriginSummary {
    return {
      ...resolveBlock(originOfGeoid(release, geoid), timesKind(query)),
      ...resolveSummary(release, cursors, 'block-summary', { geoid }, query),
    };
  },

  locate: (release, { origin }) => locateOrigin(release, origin),

  respond: (_release, resolved, context, block) =>
    querySummary(context, resolved, block, { block: blockMetadata(block) }),
});

export const pointSummary = meteredEndpoint({
  access: 'metered',
  path: '/v1/point/summary',
  operationId: 'getPointSummary',
  summary: 'Minutes from the block of a point to the nearest POI of each type',
  description:
    'The point is resolved to the census block that contains it; the rows are those of that block. ' +
    'A point on a border belongs to the block with the lowest GEOID. Returns all rows at once; ' +
    'paginated if you send `limit` or `cursor`. One token per row, at least one.',
  tag: 'Points',
  params: NONE,
  query: parameters({ lat, lon, ...QUERY }),
  rows: { geometry: null },
  responseDescription: 'The block of the point, and minutes to the nearest POI of each type.',
  response: z.object({ resolved_block: z.string(), ...RESPONSE }),
  problems: ['point-not-covered', 'invalid-cursor'],

  resolve(release, { query: { lat, lon, ...query } }, { cursors }): ResolvedOriginSummary {
    return {
      ...resolveBlock(originOfQuery(release, lon, lat), timesKind(query)),
      ...resolveSummary(release, cursors, 'point-summary', { lat, lon }, query),
    };
  },

  locate: (release, { origin }) => locateOrigin(release, origin),

  respond(_release, resolved, context, block) {
    const origin = { resolved_block: block.geoid, block: blockMetadata(block) };
    return querySummary(context, resolved, block, origin);
  },
});
