import { z } from 'zod';
import { sideOf } from '../../shards/geometry/point-in-area.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Release } from '../../shards/release.ts';
import type { CountyFips } from '../../shards/units.ts';
import { canonicalRequest, leavesAskedFor } from '../answers/block-query.ts';
import { folded } from '../answers/folded-text.ts';
import { type LocatedPlace, locatePlace } from '../answers/place-query.ts';
import {
  countiesOfArea,
  type PoiSearch,
  type SearchArea,
  searchPois,
} from '../answers/poi-search.ts';
import { type MeteredPlan, meteredEndpoint, rowsAnswer } from '../endpoint.ts';
import { POIS } from '../formats/row-table.ts';
import {
  cursorParam,
  limitParam,
  nameParam,
  placeGeoidParam,
  typeParam,
} from '../openapi/parameters.ts';
import { nextCursor, POI_EXAMPLE, poiResult } from '../openapi/schemas.ts';

interface PlacePoisPlan extends MeteredPlan {
  readonly counties: readonly { fips: CountyFips; county: CountyManifest }[];
  readonly located: LocatedPlace;
  readonly search: Omit<PoiSearch, 'area'>;
  readonly bound: string;
}

export const placePois = meteredEndpoint({
  access: 'metered',
  path: '/v1/places/{geoid}/pois',
  operationId: 'listPlacePois',
  summary: 'Places to go in a city or town',
  description:
    'What lies within the outline of the census place, as its boundary route gives it. Spatial ' +
    'only: no travel times. In a fixed spatial order, paginated. One token a row, at least one a page.',
  tag: 'Areas',
  params: z.strictObject({ geoid: placeGeoidParam }),
  query: z.strictObject({ type: typeParam, q: nameParam, limit: limitParam, cursor: cursorParam }),
  table: POIS,
  response: z.object({ results: z.array(poiResult), next_cursor: nextCursor }),
  example: { results: [POI_EXAMPLE], next_cursor: null },
  problems: ['place-not-found', 'invalid-cursor'],

  async plan(release, { params: { geoid }, query }, { cursors }): Promise<PlacePoisPlan> {
    const located = await locatePlace(release, geoid);
    const { state } = located;
    const counties = countiesOfArea(release, { boxes: [located.place.box] });
    const types = leavesAskedFor(release, query.type as number[] | undefined);
    const name = query.q === undefined ? undefined : folded(query.q);
    const { limit, cursor } = query;
    const asked = { geoid, type: types, q: name, limit };
    const bound = canonicalRequest('place-pois', asked);
    const start = cursor === undefined ? [0, 0, 0] : cursors.verify(bound, cursor, 3);
    const [county, cell, destId] = start;
    return {
      canonical: canonicalRequest('place-pois', {
        ...{ ...asked, start, signer: cursors.signer },
      }),
      dependsOn: [
        state.objects['place-map'],
        ...counties.map(({ county: { objects } }) => objects.catchment),
      ],
      located,
      counties,
      bound,
      search: { types: types && new Set(types), name, limit, start: { county, cell, destId } },
    };
  },

  locate: async () => {},

  async answer(release, { located, counties, search, bound }, { cursors }) {
    const area = await areaOf(release, located);
    const { results, next } = await searchPois(release, counties, { ...search, area });
    const next_cursor = next && cursors.sign(bound, [next.county, next.cell, next.destId]);
    return rowsAnswer({ results, next_cursor }, results.length);
  },
});

/** A place's outline as an area to search, its border included. */
async function areaOf(
  release: Release,
  { place, ordinal, state }: LocatedPlace,
): Promise<SearchArea> {
  const outlines = await release.placeOutlines(state);
  return {
    boxes: [place.box],
    contains: (lon, lat) => sideOf(outlines, ordinal, lon, lat) !== 'outside',
  };
}
