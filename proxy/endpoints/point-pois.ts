import { z } from 'zod';
import { locatePoint, type PlacedPoint, placePoint } from '../answers/located-block.ts';
import { answerPoiTimes, type PoiTimesPlan, planPoiTimes } from '../answers/poi-times.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { POI_TIMES } from '../formats/row-table.ts';
import type { MeteredPlan } from '../metering/metered-plan.ts';
import {
  cursorParam,
  destIdParam,
  latParam,
  limitParam,
  lonParam,
  maxMinutesParam,
  modeParam,
  typeParam,
} from '../openapi/parameters.ts';
import { nextCursor, POI_TIME_EXAMPLE, poiTime, unrouted } from '../openapi/schemas.ts';

interface PointPoisPlan extends MeteredPlan, PoiTimesPlan {
  readonly point: PlacedPoint;
}

export const pointPois = meteredEndpoint({
  access: 'metered',
  path: '/v1/point/pois',
  operationId: 'listPointPois',
  summary: 'Minutes from the block of a point to each single place within reach',
  description:
    'The point is resolved to the census block it lies in; the rows are that block’s, ordered by ' +
    'mode id, then dest_id. Paginated. One token a row, at least one a page.',
  tag: 'Points',
  params: z.strictObject({}),
  query: z.strictObject({
    lat: latParam,
    lon: lonParam,
    mode: modeParam,
    type: typeParam,
    dest_id: destIdParam,
    max_minutes: maxMinutesParam,
    limit: limitParam,
    cursor: cursorParam,
  }),
  table: POI_TIMES,
  response: z.object({
    resolved_block: z.string(),
    results: z.array(poiTime),
    next_cursor: nextCursor,
    unrouted,
  }),
  example: { resolved_block: '990010001001000', results: [POI_TIME_EXAMPLE], next_cursor: null },
  problems: ['point-not-covered', 'invalid-cursor'],

  plan(release, { query: { lat, lon, ...query } }, { cursors }): PointPoisPlan {
    const point = placePoint(release, lon, lat);
    return {
      ...planPoiTimes(release, cursors, 'point-pois', { lat, lon }, query),
      dependsOn: point.counties.flatMap(({ objects }) => [
        objects.blocks,
        objects.index,
        objects.pois,
      ]),
      point,
    };
  },

  locate: (release, { point }) => locatePoint(release, point),

  answer: (_release, plan, { cursors }, block) =>
    answerPoiTimes(cursors, plan, block, { resolved_block: block.geoid }),
});
