import { z } from 'zod';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Degrees } from '../../shards/units.ts';
import { locateBlock } from '../answers/block-query.ts';
import { type PoiFilter, poiPage } from '../answers/poi-page.ts';
import { cursorAfter, planPoiTimes } from '../answers/poi-times.ts';
import { countiesAround, coveredPoint } from '../answers/point-query.ts';
import { besideUnrouted, unroutedModes } from '../answers/unrouted.ts';
import { type MeteredPlan, meteredEndpoint, rowsAnswer } from '../endpoint.ts';
import { POI_TIMES } from '../formats/row-table.ts';
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

interface PointPoisPlan extends MeteredPlan {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly counties: readonly CountyManifest[];
  readonly filter: PoiFilter;
  readonly limit: number;
  readonly bound: string;
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
    const counties = countiesAround(release, lon, lat);
    return {
      ...planPoiTimes(release, cursors, 'point-pois', { lat, lon }, query),
      dependsOn: counties.flatMap(({ objects }) => [objects.blocks, objects.index, objects.pois]),
      lon,
      lat,
      counties,
      limit: query.limit,
    };
  },

  async locate(release, { counties, lon, lat }) {
    await coveredPoint(release, counties, lon, lat);
  },

  async answer(release, { counties, lon, lat, filter, limit, bound }, { cursors }) {
    const { geoid, county } = await coveredPoint(release, counties, lon, lat);
    const { index, ordinal } = await locateBlock(release, county, geoid);
    const pois = await release.pois(county);
    const row = await pois.matrix.row(ordinal);
    const { results, more } = await poiPage(release.manifest.modes, pois, row, filter, limit);
    const next_cursor = cursorAfter(cursors, bound, results, more);
    const unrouted = besideUnrouted(unroutedModes(release, index, ordinal, filter.modes));
    return rowsAnswer({ resolved_block: geoid, results, next_cursor, ...unrouted }, results.length);
  },
});
