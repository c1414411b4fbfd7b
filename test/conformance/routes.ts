import type { Call } from './api.ts';
import type { Demo } from './demo.ts';

/** Every route of the specification, as its document writes it. */
export const FREE_ROUTES = [
  '/v1/health',
  '/v1/last-updated',
  '/v1/meta/modes',
  '/v1/meta/destination-types',
  '/v1/meta/vintage',
  '/v1/places',
  '/v1/places/{geoid}/boundary',
  '/v1/plans',
  '/v1/isochrone/meta',
] as const;

/** A metered route with one request to it that has rows, and the name of the body's list of them. */
export interface MeteredRoute {
  readonly route: string;
  readonly request: (demo: Demo) => Call;
  readonly rows: string;
}

const geoids = ({ block, water }: Demo) => [block.geoid, water.geoid];
const point = ({ block: { lon, lat } }: Demo) => ({ lon, lat });

/** Routes charged by the row, whose answers have an ETag. */
export const METERED_GETS: readonly MeteredRoute[] = [
  {
    route: '/v1/blocks/{geoid}/summary',
    request: ({ block }) => ({ path: `/v1/blocks/${block.geoid}/summary`, query: {} }),
    rows: 'results',
  },
  {
    route: '/v1/blocks/{geoid}/pois',
    request: ({ block }) => ({
      path: `/v1/blocks/${block.geoid}/pois`,
      query: { mode: 'walk', limit: 7 },
    }),
    rows: 'results',
  },
  {
    route: '/v1/point/summary',
    request: (demo) => ({ path: '/v1/point/summary', query: point(demo) }),
    rows: 'results',
  },
  {
    route: '/v1/point/pois',
    request: (demo) => ({
      path: '/v1/point/pois',
      query: { ...point(demo), mode: 'walk', limit: 7 },
    }),
    rows: 'results',
  },
  {
    route: '/v1/pois',
    request: (demo) => ({ path: '/v1/pois', query: { ...point(demo), radius_m: 900, limit: 7 } }),
    rows: 'results',
  },
  {
    route: '/v1/pois/{dest_id}/catchment',
    request: ({ poi }) => ({
      path: `/v1/pois/${poi.dest_id}/catchment`,
      query: { mode: 'walk', limit: 7 },
    }),
    rows: 'results',
  },
  {
    route: '/v1/places/{geoid}/blocks',
    request: ({ place }) => ({
      path: `/v1/places/${place.geoid}/blocks`,
      query: { type: 101, mode: 'walk', limit: 7 },
    }),
    rows: 'results',
  },
  {
    route: '/v1/places/{geoid}/pois',
    request: ({ place }) => ({ path: `/v1/places/${place.geoid}/pois`, query: { limit: 7 } }),
    rows: 'results',
  },
];

/** `GET /v1/pois/{dest_id}` is one row: the place itself. */
export const POI_DETAIL = {
  route: '/v1/pois/{dest_id}',
  request: ({ poi }: Demo): Call => ({ path: `/v1/pois/${poi.dest_id}`, query: {} }),
};

/** Batches: POST routes over 1 to 250 origins. */
export const BATCHES: readonly (MeteredRoute & { readonly origins: string })[] = [
  {
    route: '/v1/blocks/summary',
    request: (demo) => post('/v1/blocks/summary', { origins: geoids(demo) }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/blocks/pois',
    request: (demo) => post('/v1/blocks/pois', { origins: geoids(demo), max_minutes: 5 }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/point/summary',
    request: (demo) => post('/v1/point/summary', { origins: [point(demo)] }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/point/pois',
    request: (demo) => post('/v1/point/pois', { origins: [point(demo)], max_minutes: 5 }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/pois/catchment',
    request: ({ poi }) => post('/v1/pois/catchment', { dest_ids: [poi.dest_id], max_minutes: 5 }),
    rows: 'results',
    origins: 'dest_ids',
  },
];

export const AREAL_QUERY: MeteredRoute = {
  route: '/v1/blocks/query',
  request: (demo) =>
    post('/v1/blocks/query', { center: point(demo), radius_m: 500, limit: 7, type: [100] }),
  rows: 'results',
};

/** Metered POST routes. */
export const METERED_POSTS: readonly MeteredRoute[] = [...BATCHES, AREAL_QUERY];

const ISOCHRONE = {
  route: '/v1/isochrone',
  request: ({ block }: Demo): Call => ({
    path: '/v1/isochrone',
    query: { block: block.geoid, minutes: 10 },
  }),
};

/** A request to each metered route that has an answer. */
export const KNOWN_REQUESTS = [...METERED_GETS, POI_DETAIL, ISOCHRONE, ...METERED_POSTS];

function post(path: string, body: object): Call {
  return { method: 'POST', path, body };
}
