import { z } from 'zod';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Degrees } from '../../shards/units.ts';
import { canonicalRequest, locateBlock } from '../answers/block-query.ts';
import { countiesAround, coveredPoint } from '../answers/point-query.ts';
import { askedCells, blockMetadata, type SummaryFilter, summaryRows } from '../answers/summary.ts';
import { type MeteredPlan, meteredEndpoint, rowsAnswer } from '../endpoint.ts';
import { CATEGORY_TIMES } from '../formats/row-table.ts';
import { latParam, lonParam, modeParam, typeParam } from '../openapi/parameters.ts';
import { blockMetadata as blockMetadataSchema, categoryTime } from '../openapi/schemas.ts';

interface PointSummaryPlan extends MeteredPlan {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly counties: readonly CountyManifest[];
  readonly filter: SummaryFilter;
}

export const pointSummary = meteredEndpoint({
  access: 'metered',
  path: '/v1/point/summary',
  operationId: 'getPointSummary',
  summary: 'Minutes from the block of a point to the nearest of each destination type',
  description:
    'The point is resolved to the census block it lies in; the rows are that block’s. On a border ' +
    'it belongs to the block with the lowest GEOID. One token a row, at least one.',
  tag: 'Points',
  params: z.strictObject({}),
  query: z.strictObject({ lat: latParam, lon: lonParam, mode: modeParam, type: typeParam }),
  table: CATEGORY_TIMES,
  response: z.object({
    resolved_block: z.string(),
    block: blockMetadataSchema,
    results: z.array(categoryTime),
  }),
  example: {
    resolved_block: '990010001001000',
    block: { geoid: '990010001001000', population: 61, land_area_m2: 9216 },
    results: [{ dest_type_id: 101, mode: 'walk', travel_time: 12.3 }],
  },
  problems: ['point-not-covered'],

  plan(release, { query: { lat, lon, ...query } }): PointSummaryPlan {
    const counties = countiesAround(release, lon, lat);
    const { filter, spelled } = askedCells(release, query);
    return {
      canonical: canonicalRequest('point-summary', { lat, lon, ...spelled }),
      dependsOn: counties.flatMap(({ objects }) => [
        objects.blocks,
        objects.index,
        objects.nearest,
      ]),
      lon,
      lat,
      counties,
      filter,
    };
  },

  async locate(release, { counties, lon, lat }) {
    await coveredPoint(release, counties, lon, lat);
  },

  async answer(release, { counties, lon, lat, filter }) {
    const { geoid, county } = await coveredPoint(release, counties, lon, lat);
    const { index, ordinal } = await locateBlock(release, county, geoid);
    const results = await summaryRows(release, county, index, ordinal, filter);
    const block = blockMetadata(index, ordinal, geoid);
    return rowsAnswer({ resolved_block: geoid, block, results }, results.length);
  },
});
