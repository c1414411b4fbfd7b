import { z } from 'zod';
import type { Release } from '../../shards/release/release.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { parameters } from '../fields/field.ts';
import { countyOfPath, placeGeoid } from '../fields/locations.ts';
import { AREA_ACCESS } from '../fields/opportunities.ts';
import { cursor, limit, mode, WINDOW } from '../fields/rows.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { findCounty } from '../queries/areas/area.ts';
import { locatePlace } from '../queries/areas/places.ts';
import {
  areaAccessObjects,
  areaCount,
  locateAreaAccess,
  queryAreaAccess,
  type ResolvedAreaAccess,
  requestedAreaAccess,
} from '../queries/opportunities/area-access.ts';
import { areaFacts } from '../schemas/coverage-schemas.ts';
import { nextCursor } from '../schemas/schemas.ts';
import type { QueryContext } from '../services.ts';

export const AREA_ACCESS_RULES =
  'Rows by block, `of`, mode and minutes; with `by`, by tract, place or county, of the blocks in ' +
  'the area, each averaged by `weight`. Blocks of this release count by whole minutes, POIs by ' +
  'tenths of a minute up to 30. A block ' +
  'that a mode could not be routed from has no rows unless `include_missing` is set, and counts in no ' +
  'average; rows of averages state the weight of all their blocks (`total`), and of those left out ' +
  '(`no_data`). Blocks outside all places are in no row by place. Paginated. One token per row, of ' +
  'averages too, at least one per page. No GeoJSON, as outlines would end pages early; rows join by ' +
  '`geoid` with the outlines of exports.';

const AREA_ACCESS_RESPONSE = z.object({
  area: areaFacts,
  results: z.array(areaCount),
  next_cursor: nextCursor,
});

const AREA_ROUTE = {
  query: parameters({ mode, ...WINDOW, ...AREA_ACCESS, limit, cursor }),
  rows: { geometry: null },
  response: AREA_ACCESS_RESPONSE,
  count: async (release: Release, resolved: ResolvedRoute) =>
    (await locateAreaAccess(release, resolved)).tokens,
  respond: async (release: Release, resolved: ResolvedRoute, context: QueryContext) =>
    queryAreaAccess(release, await locateAreaAccess(release, resolved), context),
};

type ResolvedRoute = ResolvedQuery & ResolvedAreaAccess;

const placeAccess = meteredEndpoint({
  access: 'metered',
  path: '/v1/places/{geoid}/access',
  operationId: 'getPlaceAccess',
  summary: 'How many people, jobs or POIs are within reach of each block of a city or town',
  description: `The area is the blocks whose centre is in the place. ${AREA_ACCESS_RULES}`,
  tag: 'Areas',
  params: parameters({ geoid: placeGeoid }),
  ...AREA_ROUTE,
  responseDescription: 'A page of the counts of the place.',
  problems: ['place-not-found', 'direction-not-available', 'invalid-cursor'],

  async resolve(release, { params: { geoid }, query }, { cursors }): Promise<ResolvedRoute> {
    const { place, state } = await locatePlace(release, geoid);
    const area = { kind: 'places', geoids: [geoid] } as const;
    const asked = { route: 'place-access', where: { geoid }, area };
    const resolved = requestedAreaAccess(release, cursors, asked, query);
    const objects = areaAccessObjects(release, place.counties, resolved.query);
    return { ...resolved, dependsOn: [state.objects.places, ...objects] };
  },
});

const countyAccess = meteredEndpoint({
  access: 'metered',
  path: '/v1/counties/{fips}/access',
  operationId: 'getCountyAccess',
  summary: 'How many people, jobs or POIs are within reach of each block of a county',
  description: `The area is all blocks of the county. ${AREA_ACCESS_RULES}`,
  tag: 'Areas',
  params: parameters({ fips: countyOfPath }),
  ...AREA_ROUTE,
  responseDescription: 'A page of the counts of the county.',
  problems: ['county-not-found', 'direction-not-available', 'invalid-cursor'],

  resolve(release, { params: { fips }, query }, { cursors }): ResolvedRoute {
    findCounty(release, fips);
    const area = { kind: 'counties', fips: [fips] } as const;
    const asked = { route: 'county-access', where: { fips }, area };
    const resolved = requestedAreaAccess(release, cursors, asked, query);
    return { ...resolved, dependsOn: areaAccessObjects(release, [fips], resolved.query) };
  },
});

export const areaAccess = [placeAccess, countyAccess];
