import { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import { canonicalRequest, countyWith, locateBlock } from '../answers/block-query.ts';
import { askedCells, blockMetadata, type SummaryFilter, summaryRows } from '../answers/summary.ts';
import { type MeteredPlan, meteredEndpoint, rowsAnswer } from '../endpoint.ts';
import { CATEGORY_TIMES } from '../formats/row-table.ts';
import { geoidParam, modeParam, typeParam } from '../openapi/parameters.ts';
import { blockMetadata as blockMetadataSchema, categoryTime } from '../openapi/schemas.ts';

interface SummaryPlan extends MeteredPlan {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
  readonly filter: SummaryFilter;
}

export const blockSummary = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/summary',
  operationId: 'getBlockSummary',
  summary: 'Minutes from a block to the nearest of each destination type',
  description:
    'One row a destination type and mode within 30 minutes; no row means not within 30 minutes. ' +
    'Ordered by mode id, then type id. One token a row, at least one.',
  tag: 'Blocks',
  params: z.strictObject({ geoid: geoidParam }),
  query: z.strictObject({ mode: modeParam, type: typeParam }),
  table: CATEGORY_TIMES,
  response: z.object({ block: blockMetadataSchema, results: z.array(categoryTime) }),
  example: {
    block: { geoid: '990010001001000', population: 61, land_area_m2: 9216 },
    results: [{ dest_type_id: 101, mode: 'walk', travel_time: 12.3 }],
  },
  problems: ['block-not-found'],

  plan(release, { params: { geoid }, query }): SummaryPlan {
    const county = countyWith(release, geoid);
    const { filter, spelled } = askedCells(release, query);
    return {
      canonical: canonicalRequest('block-summary', { geoid, ...spelled }),
      dependsOn: [county.objects.index, county.objects.nearest],
      geoid,
      county,
      filter,
    };
  },

  async locate(release, { county, geoid }) {
    await locateBlock(release, county, geoid);
  },

  async answer(release, { county, geoid, filter }) {
    const { index, ordinal } = await locateBlock(release, county, geoid);
    const results = await summaryRows(release, county, index, ordinal, filter);
    return rowsAnswer({ block: blockMetadata(index, ordinal, geoid), results }, results.length);
  },
});
