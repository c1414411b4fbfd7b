import { z } from 'zod';
import { locatePoint, type PlacedPoint, placePoint } from '../answers/located-block.ts';
import { answerSummary, planSummary, type SummaryPlan } from '../answers/plan-summary.ts';
import { blockMetadata } from '../answers/summary.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { CATEGORY_TIMES } from '../formats/row-table.ts';
import type { MeteredPlan } from '../metering/metered-plan.ts';
import {
  cursorParam,
  latParam,
  lonParam,
  modeParam,
  optionalLimitParam,
  typeParam,
} from '../openapi/parameters.ts';
import {
  blockMetadata as blockMetadataSchema,
  categoryTime,
  nextCursorIfPaged,
  unrouted,
} from '../openapi/schemas.ts';

interface PointSummaryPlan extends MeteredPlan, SummaryPlan {
  readonly point: PlacedPoint;
}

export const pointSummary = meteredEndpoint({
  access: 'metered',
  path: '/v1/point/summary',
  operationId: 'getPointSummary',
  summary: 'Minutes from the block of a point to the nearest of each destination type',
  description:
    'The point is resolved to the census block it lies in; the rows are that block’s. On a border ' +
    'it belongs to the block with the lowest GEOID. All rows at once; paginated if you send `limit` ' +
    'or `cursor`. One token a row, at least one.',
  tag: 'Points',
  params: z.strictObject({}),
  query: z.strictObject({
    lat: latParam,
    lon: lonParam,
    mode: modeParam,
    type: typeParam,
    limit: optionalLimitParam,
    cursor: cursorParam,
  }),
  table: CATEGORY_TIMES,
  response: z.object({
    resolved_block: z.string(),
    block: blockMetadataSchema,
    results: z.array(categoryTime),
    next_cursor: nextCursorIfPaged,
    unrouted,
  }),
  example: {
    resolved_block: '990010001001000',
    block: { geoid: '990010001001000', population: 61, land_area_m2: 9216 },
    results: [{ dest_type_id: 101, mode: 'walk', travel_time: 12.3 }],
  },
  problems: ['point-not-covered', 'invalid-cursor'],

  plan(release, { query: { lat, lon, ...query } }, { cursors }): PointSummaryPlan {
    const point = placePoint(release, lon, lat);
    return {
      ...planSummary(release, cursors, 'point-summary', { lat, lon }, query),
      dependsOn: point.counties.flatMap(({ objects }) => [
        objects.blocks,
        objects.index,
        objects.nearest,
      ]),
      point,
    };
  },

  locate: (release, { point }) => locatePoint(release, point),

  answer(_release, plan, { cursors }, block) {
    const beside = { resolved_block: block.geoid, block: blockMetadata(block) };
    return answerSummary(cursors, plan, block, beside);
  },
});
