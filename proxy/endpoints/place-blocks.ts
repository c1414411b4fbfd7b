import { z } from 'zod';
import type { Mode } from '../../shards/modes.ts';
import { type ArealQuery, arealPage } from '../answers/areal-page.ts';
import {
  canonicalRequest,
  leavesAskedFor,
  modeLabels,
  modePositions,
} from '../answers/block-query.ts';
import { type LocatedPlace, locatePlace } from '../answers/place-query.ts';
import { type MeteredPlan, meteredEndpoint, rowsAnswer } from '../endpoint.ts';
import { AREAL } from '../formats/row-table.ts';
import {
  cursorParam,
  includePopulationParam,
  limitParam,
  modeParam,
  placeGeoidParam,
  typeParam,
} from '../openapi/parameters.ts';
import { arealRow, nextCursor } from '../openapi/schemas.ts';

interface PlaceBlocksPlan extends MeteredPlan {
  readonly located: LocatedPlace;
  readonly query: Omit<ArealQuery, 'blocks'>;
  readonly bound: string;
}

export const placeBlocks = meteredEndpoint({
  access: 'metered',
  path: '/v1/places/{geoid}/blocks',
  operationId: 'listPlaceBlocks',
  summary: 'Minutes to the nearest of each destination type, for all blocks of a city or town',
  description:
    'Rows of the blocks whose centre is in the place, ordered by GEOID, type id, mode id. ' +
    'Paginated. One token a row, at least one a page.',
  tag: 'Areas',
  params: z.strictObject({ geoid: placeGeoidParam }),
  query: z.strictObject({
    mode: modeParam,
    type: typeParam,
    include_population: includePopulationParam,
    limit: limitParam,
    cursor: cursorParam,
  }),
  table: AREAL,
  response: z.object({ results: z.array(arealRow), next_cursor: nextCursor }),
  example: {
    results: [{ geoid: '990010001001000', dest_type_id: 101, mode_id: 1, travel_time: 12.3 }],
    next_cursor: null,
  },
  problems: ['place-not-found', 'invalid-cursor'],

  async plan(release, { params: { geoid }, query }, { cursors }): Promise<PlaceBlocksPlan> {
    const located = await locatePlace(release, geoid);
    const types = leavesAskedFor(release, query.type as number[] | undefined);
    const modes = modePositions(release, query.mode as Mode[] | undefined);
    const { include_population, limit, cursor } = query;
    const asked = {
      ...{ geoid, mode: modeLabels(release, modes), type: types ?? release.taxonomy.leafIds },
      ...{ include_population, limit },
    };
    const bound = canonicalRequest('place-blocks', asked);
    const after = cursor === undefined ? [0, 0, 0] : cursors.verify(bound, cursor, 3);
    const counties = located.place.counties.map((fips) => release.county(fips)!);
    return {
      canonical: canonicalRequest('place-blocks', { ...asked, after, signer: cursors.signer }),
      dependsOn: [
        located.state.objects.places,
        ...counties.flatMap(({ objects }) => [objects.index, objects.nearest]),
      ],
      located,
      bound,
      query: {
        modes,
        types: types && new Set(types),
        withPopulation: include_population,
        limit,
        after: [after[0], after[1], after[2]],
      },
    };
  },

  locate: async () => {},

  async answer(release, { located: { table, ordinal }, query, bound }, { cursors }) {
    const blocks = await table.blocks(release.store, ordinal);
    const { results, more } = await arealPage(release, { ...query, blocks });
    const last = results.at(-1);
    const next_cursor =
      more && last
        ? cursors.sign(bound, [Number(last.geoid), last.dest_type_id, last.mode_id])
        : null;
    return rowsAnswer({ results, next_cursor }, results.length);
  },
});
