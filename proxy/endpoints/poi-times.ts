import { z } from 'zod';
import { BOUNDS } from '../bounds.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { NONE, parameters } from '../fields/field.ts';
import { geoid, lat, lon } from '../fields/locations.ts';
import { cursor, limit, POI_ROWS } from '../fields/rows.ts';
import {
  locateOrigin,
  originOfGeoid,
  originOfQuery,
  type ResolvedBlock,
  resolveBlock,
} from '../queries/origins/origin-block.ts';
import {
  poiTime,
  queryPoiTimes,
  type ResolvedPoiTimes,
  resolvePoiTimes,
} from '../queries/pois/poi-times.ts';
import { nextCursor, unrouted } from '../schemas/schemas.ts';

const QUERY = {
  ...POI_ROWS,
  limit,
  cursor,
};
const RESPONSE = { results: z.array(poiTime), next_cursor: nextCursor, unrouted };

type ResolvedOriginPois = ResolvedPoiTimes & ResolvedBlock;

export const blockPois = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/pois',
  operationId: 'listBlockPois',
  summary: 'Minutes from a block to each POI within reach',
  description:
    `One row per POI and mode within ${BOUNDS.maxMinutes.max} minutes, ordered by mode id, then ` +
    'dest_id. Paginated: pass `next_cursor` as `cursor` until it is null. One token per row, ' +
    'at least one per page.',
  tag: 'Blocks',
  params: parameters({ geoid }),
  query: parameters(QUERY),
  rows: { geometry: 'point' },
  responseDescription: 'A page of the POIs within reach, with minutes.',
  response: z.object({ block_geoid: z.string(), ...RESPONSE }),
  problems: ['block-not-found', 'invalid-cursor'],

  resolve(release, { params: { geoid }, query }, { cursors }): ResolvedOriginPois {
    return {
      ...resolveBlock(originOfGeoid(release, geoid), 'pois'),
      ...resolvePoiTimes(release, cursors, 'block-pois', { geoid }, query),
    };
  },

  locate: (release, { origin }) => locateOrigin(release, origin),

  respond: (_release, resolved, context, block) =>
    queryPoiTimes(context, resolved, block, { block_geoid: block.geoid }),
});

export const pointPois = meteredEndpoint({
  access: 'metered',
  path: '/v1/point/pois',
  operationId: 'listPointPois',
  summary: 'Minutes from the block of a point to each POI within reach',
  description:
    'The point is resolved to the census block that contains it; the rows are those of that block, ' +
    'ordered by mode id, then dest_id. Paginated. One token per row, at least one per page.',
  tag: 'Points',
  params: NONE,
  query: parameters({ lat, lon, ...QUERY }),
  rows: { geometry: 'point' },
  responseDescription: 'The block of the point, and a page of the POIs within reach, with minutes.',
  response: z.object({ resolved_block: z.string(), ...RESPONSE }),
  problems: ['point-not-covered', 'invalid-cursor'],

  resolve(release, { query: { lat, lon, ...query } }, { cursors }): ResolvedOriginPois {
    return {
      ...resolveBlock(originOfQuery(release, lon, lat), 'pois'),
      ...resolvePoiTimes(release, cursors, 'point-pois', { lat, lon }, query),
    };
  },

  locate: (release, { origin }) => locateOrigin(release, origin),

  respond: (_release, resolved, context, block) =>
    queryPoiTimes(context, resolved, block, { resolved_block: block.geoid }),
});
