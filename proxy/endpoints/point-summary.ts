import { z } from 'zod';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Degrees } from '../../shards/units.ts';
import { locateBlock } from '../answers/block-query.ts';
import { answerSummary, planSummary, type SummaryPlan } from '../answers/plan-summary.ts';
import { countiesAround, coveredPoint } from '../answers/point-query.ts';
import { blockMetadata } from '../answers/summary.ts';
import { type MeteredPlan, meteredEndpoint } from '../endpoint.ts';
import { CATEGORY_TIMES } from '../formats/row-table.ts';
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
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly counties: readonly CountyManifest[];
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
    const counties = countiesAround(release, lon, lat);
    return {
      ...planSummary(release, cursors, 'point-summary', { lat, lon }, query),
      dependsOn: counties.flatMap(({ objects }) => [
        objects.blocks,
        objects.index,
        objects.nearest,
      ]),
      lon,
      lat,
      counties,
    };
  },

  async locate(release, { counties, lon, lat }) {
    await coveredPoint(release, counties, lon, lat);
  },

  async answer(release, plan, { cursors }) {
    const { geoid, county } = await coveredPoint(release, plan.counties, plan.lon, plan.lat);
    const located = await locateBlock(release, county, geoid);
    const block = blockMetadata(located.index, located.ordinal, geoid);
    return answerSummary(release, cursors, plan, county, located, { resolved_block: geoid, block });
  },
});
