import { z } from 'zod';
import { BOUNDS } from '../bounds.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { parameters } from '../fields/field.ts';
import { placeGeoid } from '../fields/locations.ts';
import { cursor, includeMissing, includePopulation, limit, NEAREST_ROWS } from '../fields/rows.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { queryArea, type ResolvedArea, resolveArea } from '../queries/areas/area-times.ts';
import { arealRow } from '../queries/areas/block-rows.ts';
import { blocksOfPlace, type LocatedPlace, locatePlace } from '../queries/areas/places.ts';
import { timesKind } from '../queries/nearest/summary.ts';
import { nextCursor } from '../schemas/schemas.ts';

type ResolvedPlaceBlocks = ResolvedQuery &
  ResolvedArea & {
    readonly located: LocatedPlace;
  };

export const placeBlocks = meteredEndpoint({
  access: 'metered',
  path: '/v1/places/{geoid}/blocks',
  operationId: 'listPlaceBlocks',
  summary: 'Minutes to the nearest POI of each type, for all blocks of a city or town',
  description:
    'Returns rows for the blocks whose centre is in the place, ordered by GEOID, type id, mode id, `nth`. ' +
    `A missing row means "not within ${BOUNDS.maxMinutes.max} minutes" or unknown: ` +
    '`include_missing` distinguishes the two. `nth` and `count_within` say how much choice there ' +
    'is. In GeoJSON each row is the outline of its block, and a page ends early at 4 MB. ' +
    'Paginated; over many blocks without rows a page may hold fewer rows than `limit`, or none, ' +
    'without being the last: only a null `next_cursor` marks the end. One token per row, at ' +
    'least one per page.',
  tag: 'Areas',
  params: parameters({ geoid: placeGeoid }),
  query: parameters({
    ...NEAREST_ROWS,
    include_population: includePopulation,
    include_missing: includeMissing,
    limit,
    cursor,
  }),
  rows: { geometry: 'outline' },
  responseDescription: 'A page of blocks with minutes to the nearest POI of each type.',
  response: z.object({ results: z.array(arealRow), next_cursor: nextCursor }),
  problems: ['place-not-found', 'invalid-cursor'],

  async resolve(release, { params: { geoid }, query }, { cursors }): Promise<ResolvedPlaceBlocks> {
    const located = await locatePlace(release, geoid);
    const kind = timesKind(query);
    const counties = located.place.counties.map((fips) => release.county(fips)!);
    return {
      ...resolveArea(release, cursors, 'place-blocks', { geoid }, query),
      dependsOn: [
        located.state.objects.places,
        ...counties.flatMap(({ objects }) => [objects.index, objects[kind], objects.blocks]),
      ],
      located,
    };
  },

  async respond(release, resolved, context) {
    const [from] = resolved.page.position;
    const counties = blocksOfPlace(release, resolved.located, from);
    return queryArea(release, context, resolved, { counties, beyond: null });
  },
});
