import { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import { countyWith, locateBlock } from '../answers/located-block.ts';
import { answerSummary, planSummary, type SummaryPlan } from '../answers/plan-summary.ts';
import { blockMetadata } from '../answers/summary.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { CATEGORY_TIMES } from '../formats/row-table.ts';
import type { MeteredPlan } from '../metering/metered-plan.ts';
import {
  cursorParam,
  geoidParam,
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

interface BlockSummaryPlan extends MeteredPlan, SummaryPlan {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
}

export const blockSummary = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/summary',
  operationId: 'getBlockSummary',
  summary: 'Minutes from a block to the nearest of each destination type',
  description:
    'One row a destination type and mode within 30 minutes; no row means not within 30 minutes, ' +
    'unless the mode is in `unrouted`: then it is not known. Ordered by mode id, then type id. All ' +
    'rows at once; paginated if you send `limit` or `cursor`. One token a row, at least one.',
  tag: 'Blocks',
  params: z.strictObject({ geoid: geoidParam }),
  query: z.strictObject({
    mode: modeParam,
    type: typeParam,
    limit: optionalLimitParam,
    cursor: cursorParam,
  }),
  table: CATEGORY_TIMES,
  response: z.object({
    block: blockMetadataSchema,
    results: z.array(categoryTime),
    next_cursor: nextCursorIfPaged,
    unrouted,
  }),
  example: {
    block: { geoid: '990010001001000', population: 61, land_area_m2: 9216 },
    results: [{ dest_type_id: 101, mode: 'walk', travel_time: 12.3 }],
  },
  problems: ['block-not-found', 'invalid-cursor'],

  plan(release, { params: { geoid }, query }, { cursors }): BlockSummaryPlan {
    const county = countyWith(release, geoid);
    return {
      ...planSummary(release, cursors, 'block-summary', { geoid }, query),
      dependsOn: [county.objects.index, county.objects.nearest],
      geoid,
      county,
    };
  },

  locate: (release, { county, geoid }) => locateBlock(release, county, geoid),

  answer: (_release, plan, { cursors }, block) =>
    answerSummary(cursors, plan, block, { block: blockMetadata(block) }),
});
