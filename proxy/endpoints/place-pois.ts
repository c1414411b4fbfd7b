import { z } from 'zod';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { parameters } from '../fields/field.ts';
import { placeGeoid } from '../fields/locations.ts';
import { cursor, destType, limit, nameSearched } from '../fields/rows.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { type LocatedPlace, locatePlace } from '../queries/areas/places.ts';
import { poiSchema } from '../queries/pois/poi-columns.ts';
import {
  countiesWithPois,
  querySearch,
  type ResolvedSearch,
  resolveSearch,
} from '../queries/pois/poi-search.ts';
import type { SearchedArea } from '../queries/searched-area.ts';
import { nextCursor } from '../schemas/schemas.ts';

type ResolvedPlacePois = ResolvedQuery &
  ResolvedSearch & {
    readonly counties: readonly ReleaseCounty[];
    readonly located: LocatedPlace;
  };

export const placePois = meteredEndpoint({
  access: 'metered',
  path: '/v1/places/{geoid}/pois',
  operationId: 'listPlacePois',
  summary: 'POIs in a city or town',
  description:
    'POIs inside the census place, by the same outline that decides which blocks belong to it; the ' +
    'boundary route returns a simplified version. Spatial only: no travel times. In a fixed ' +
    'spatial order, paginated. One token per row, at least one per page.',
  tag: 'Areas',
  params: parameters({ geoid: placeGeoid }),
  query: parameters({ type: destType, q: nameSearched, limit, cursor }),
  rows: { geometry: 'point' },
  responseDescription: 'A page of POIs.',
  response: z.object({ results: z.array(poiSchema), next_cursor: nextCursor }),
  problems: ['place-not-found', 'invalid-cursor'],

  async resolve(release, { params: { geoid }, query }, { cursors }): Promise<ResolvedPlacePois> {
    const located = await locatePlace(release, geoid);
    const counties = countiesWithPois(release, { boxes: [located.place.box] });
    return {
      ...resolveSearch(release, cursors, 'place-pois', { geoid }, query),
      dependsOn: [
        located.state.objects.places,
        ...counties.map(({ manifest: { objects } }) => objects.catchment),
      ],
      located,
      counties,
    };
  },

  async respond(release, resolved, context) {
    const area = await areaOf(release, resolved.located);
    return querySearch(release, context, resolved, resolved.counties, area);
  },
});

/** A place's outline as a search area, including its border. */
async function areaOf(
  release: Release,
  { place, ordinal, table }: LocatedPlace,
): Promise<SearchedArea> {
  const outline = await release.placeArea(table, ordinal);
  return {
    boxes: [place.box],
    contains: (lon, lat) => outline.sideOf(lon, lat) !== 'outside',
  };
}
