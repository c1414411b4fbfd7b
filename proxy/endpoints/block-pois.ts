import { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import { countyWith, locateBlock } from '../answers/located-block.ts';
import { answerPoiTimes, type PoiTimesPlan, planPoiTimes } from '../answers/poi-times.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { POI_TIMES } from '../formats/row-table.ts';
import type { MeteredPlan } from '../metering/metered-plan.ts';
import {
  cursorParam,
  destIdParam,
  geoidParam,
  limitParam,
  maxMinutesParam,
  modeParam,
  typeParam,
} from '../openapi/parameters.ts';
import { nextCursor, POI_TIME_EXAMPLE, poiTime, unrouted } from '../openapi/schemas.ts';

interface BlockPoisPlan extends MeteredPlan, PoiTimesPlan {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
}

export const blockPois = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/pois',
  operationId: 'listBlockPois',
  summary: 'Minutes from a block to each single place within reach',
  description:
    'One row a place and mode within 30 minutes, ordered by mode id, then dest_id. Paginated: ' +
    'pass `next_cursor` as `cursor` until it is null. One token a row, at least one a page.',
  tag: 'Blocks',
  params: z.strictObject({ geoid: geoidParam }),
  query: z.strictObject({
    mode: modeParam,
    type: typeParam,
    dest_id: destIdParam,
    max_minutes: maxMinutesParam,
    limit: limitParam,
    cursor: cursorParam,
  }),
  table: POI_TIMES,
  response: z.object({
    block_geoid: z.string(),
    results: z.array(poiTime),
    next_cursor: nextCursor,
    unrouted,
  }),
  example: { block_geoid: '990010001001000', results: [POI_TIME_EXAMPLE], next_cursor: null },
  problems: ['block-not-found', 'invalid-cursor'],

  plan(release, { params: { geoid }, query }, { cursors }): BlockPoisPlan {
    const county = countyWith(release, geoid);
    return {
      ...planPoiTimes(release, cursors, 'block-pois', { geoid }, query),
      dependsOn: [county.objects.index, county.objects.pois],
      geoid,
      county,
    };
  },

  locate: (release, { county, geoid }) => locateBlock(release, county, geoid),

  answer: (_release, plan, { cursors }, block) =>
    answerPoiTimes(cursors, plan, block, { block_geoid: block.geoid }),
});
