import type { Call } from './api.ts';

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

/** What requests are about: things of a release that there are. */
export interface Landmarks {
  readonly block: { readonly geoid: string; readonly lon: number; readonly lat: number };
  /** A block that no mode can be routed from. */
  readonly water: { readonly geoid: string };
  readonly poi: { readonly dest_id: number };
  readonly place: { readonly geoid: string };
}

/** A metered route with one request to it that has rows, and the name of the body's list of them. */
export interface MeteredRoute {
  readonly route: string;
  readonly request: (marks: Landmarks) => Call;
  readonly rows: string;
}

const geoids = ({ block, water }: Landmarks) => [block.geoid, water.geoid];
const point = ({ block: { lon, lat } }: Landmarks) => ({ lon, lat });

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
    request: (marks) => ({ path: '/v1/point/summary', query: point(marks) }),
    rows: 'results',
  },
  {
    route: '/v1/point/pois',
    request: (marks) => ({
      path: '/v1/point/pois',
      query: { ...point(marks), mode: 'walk', limit: 7 },
    }),
    rows: 'results',
  },
  {
    route: '/v1/pois',
    request: (marks) => ({ path: '/v1/pois', query: { ...point(marks), radius_m: 900, limit: 7 } }),
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
  request: ({ poi }: Landmarks): Call => ({ path: `/v1/pois/${poi.dest_id}`, query: {} }),
};

/** Batches: POST routes over 1 to 250 origins. */
export const BATCHES: readonly (MeteredRoute & { readonly origins: string })[] = [
  {
    route: '/v1/blocks/summary',
    request: (marks) => post('/v1/blocks/summary', { origins: geoids(marks) }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/blocks/pois',
    request: (marks) => post('/v1/blocks/pois', { origins: geoids(marks), max_minutes: 5 }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/point/summary',
    request: (marks) => post('/v1/point/summary', { origins: [point(marks)] }),
    rows: 'results',
    origins: 'origins',
  },
  {
    route: '/v1/point/pois',
    request: (marks) => post('/v1/point/pois', { origins: [point(marks)], max_minutes: 5 }),
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
  request: (marks) =>
    post('/v1/blocks/query', { center: point(marks), radius_m: 500, limit: 7, type: [100] }),
  rows: 'results',
};

/** Metered POST routes. */
export const METERED_POSTS: readonly MeteredRoute[] = [...BATCHES, AREAL_QUERY];

/** An isochrone costs by its contours. */
export const ISOCHRONE = {
  route: '/v1/isochrone',
  request: ({ block }: Landmarks): Call => ({
    path: '/v1/isochrone',
    query: { block: block.geoid, minutes: 10 },
  }),
};

/** A request to each metered route that has an answer. */
export const KNOWN_REQUESTS = [...METERED_GETS, POI_DETAIL, ISOCHRONE, ...METERED_POSTS];

function post(path: string, body: object): Call {
  return { method: 'POST', path, body };
}
