import { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import { countyWith, locateBlock } from '../answers/block-query.ts';
import { type PoiFilter, poiPage } from '../answers/poi-page.ts';
import { cursorAfter, planPoiTimes } from '../answers/poi-times.ts';
import { besideUnrouted, unroutedModes } from '../answers/unrouted.ts';
import { type MeteredPlan, meteredEndpoint, rowsAnswer } from '../endpoint.ts';
import { POI_TIMES } from '../formats/row-table.ts';
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

interface BlockPoisPlan extends MeteredPlan {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
  readonly filter: PoiFilter;
  readonly limit: number;
  /** The query without its page: what a cursor is bound to. */
  readonly bound: string;
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
      limit: query.limit,
    };
  },

  async locate(release, { county, geoid }) {
    await locateBlock(release, county, geoid);
  },

  async answer(release, { county, geoid, filter, limit, bound }, { cursors }) {
    const { index, ordinal } = await locateBlock(release, county, geoid);
    const pois = await release.pois(county);
    const row = await pois.matrix.row(ordinal);
    const { results, more } = await poiPage(release.manifest.modes, pois, row, filter, limit);
    const next_cursor = cursorAfter(cursors, bound, results, more);
    const unrouted = besideUnrouted(unroutedModes(release, index, ordinal, filter.modes));
    return rowsAnswer({ block_geoid: geoid, results, next_cursor, ...unrouted }, results.length);
  },
});
