import type { Call } from './api.ts';

/** Free routes of the specification, by their path templates in the document. */
export const FREE_ROUTES = [
  '/v1/health',
  '/v1/last-updated',
  '/v1/meta/modes',
  '/v1/meta/destination-types',
  '/v1/meta/vintage',
  '/v1/meta/weights',
  '/v1/places',
  '/v1/places/{geoid}/boundary',
  '/v1/addresses',
  '/v1/plans',
  '/v1/isochrone/meta',
  '/v1/meta/tiles',
  '/v1/meta/block-bands',
  '/v1/exports',
] as const;

/** Contents of a release for requests to refer to. */
export interface Landmarks {
  /** The version of the release. */
  readonly version: string;
  readonly block: { readonly geoid: string; readonly lon: number; readonly lat: number };
  /** A block that no mode can be routed from. */
  readonly water: { readonly geoid: string };
  readonly poi: { readonly dest_id: number };
  readonly place: { readonly geoid: string };
}

/** A metered route with one request to it that has rows, which its body lists as `results`. */
export interface MeteredRoute {
  readonly route: string;
  readonly request: (marks: Landmarks) => Call;
  /** Minimum price of a response, in tokens; one if absent. */
  readonly least?: number;
}

type OfMarks<T> = (marks: Landmarks) => T;
const geoid: OfMarks<string> = ({ block }) => block.geoid;
const placeGeoid: OfMarks<string> = ({ place }) => place.geoid;
const destId: OfMarks<number> = ({ poi }) => poi.dest_id;
const countyOf: OfMarks<string> = (marks) => geoid(marks).slice(0, 5);
const geoids: OfMarks<string[]> = ({ block, water }) => [block.geoid, water.geoid];
const point: OfMarks<object> = ({ block: { lon, lat } }) => ({ lon, lat });
const ACCESS = { of: ['jobs', 'people', 'type:101'], curve: true };
const FEW = { mode: 'walk', limit: 7 };

/** A GET of a route, with values for its path parameters. */
function get(
  route: string,
  query: OfMarks<object> | object,
  id?: OfMarks<string | number>,
): MeteredRoute {
  const path = (marks: Landmarks) => (id ? route.replace(/\{\w+\}/, String(id(marks))) : route);
  const asked = (marks: Landmarks) => (typeof query === 'function' ? query(marks) : query);
  return { route, request: (marks) => ({ path: path(marks), query: { ...asked(marks) } }) };
}

const AREA_TOKENS = 10;

/** GET routes of sums over an area as a whole. */
const COVERAGE_GETS: readonly MeteredRoute[] = [
  get('/v1/places/{geoid}/coverage', { mode: 'walk' }, placeGeoid),
  get('/v1/counties/{fips}/coverage', { mode: 'walk' }, countyOf),
].map((route) => ({ ...route, least: AREA_TOKENS }));

/** Routes charged by the row, whose responses have an ETag. */
export const METERED_GETS: readonly MeteredRoute[] = [
  get('/v1/blocks/{geoid}/summary', {}, geoid),
  get('/v1/blocks/{geoid}/pois', FEW, geoid),
  get('/v1/point/summary', point),
  get('/v1/point/pois', (marks) => ({ ...point(marks), ...FEW })),
  get('/v1/pois', (marks) => ({ ...point(marks), radius_m: 900, limit: 7 })),
  get('/v1/pois/{dest_id}/catchment', FEW, destId),
  get('/v1/places/{geoid}/blocks', { type: 101, ...FEW }, placeGeoid),
  get('/v1/places/{geoid}/pois', { limit: 7 }, placeGeoid),
  get('/v1/blocks/{geoid}/access', ACCESS, geoid),
  get('/v1/point/access', (marks) => ({ ...point(marks), ...ACCESS })),
  get('/v1/places/{geoid}/access', { of: 'jobs', ...FEW }, placeGeoid),
  get('/v1/counties/{fips}/access', { of: 'jobs', ...FEW }, countyOf),
  ...COVERAGE_GETS,
];

/** `GET /v1/pois/{dest_id}`, whose response is one row: the POI itself. */
export const POI_DETAIL = get('/v1/pois/{dest_id}', {}, destId);

function post(route: string, body: OfMarks<object>): MeteredRoute {
  return { route, request: (marks) => ({ method: 'POST', path: route, body: body(marks) }) };
}

/** A batch, whose body lists its origins under the name in `origins`. */
function batch(route: string, origins: string, listed: OfMarks<unknown[]>, more: object = {}) {
  return { ...post(route, (marks) => ({ [origins]: listed(marks), ...more })), origins };
}

const NEAR = { max_minutes: 5 };

/** A batch of trips, whose price is not one token a row. */
const TRIPS = post('/v1/explain', (marks) => ({
  trips: [
    { from: geoid(marks), dest_id: destId(marks) },
    { from: geoid(marks), to: geoid(marks), mode: 'walk' },
  ],
}));

/** Batches: POST routes over 1 to 250 origins. */
export const BATCHES: readonly (MeteredRoute & { readonly origins: string })[] = [
  batch('/v1/blocks/summary', 'origins', geoids),
  batch('/v1/blocks/pois', 'origins', geoids, NEAR),
  batch('/v1/point/summary', 'origins', (marks) => [point(marks)]),
  batch('/v1/point/pois', 'origins', (marks) => [point(marks)], NEAR),
  batch('/v1/pois/catchment', 'dest_ids', (marks) => [destId(marks)], NEAR),
  batch('/v1/access', 'origins', geoids, ACCESS),
];

export const AREAL_QUERY = post('/v1/blocks/query', (marks) => ({
  center: point(marks),
  radius_m: 500,
  limit: 7,
  type: [100],
}));

const CRITERIA = [{ type: 100, mode: 'walk', max_minutes: 20, nth: 2 }];
const circle: OfMarks<object> = (marks) => ({ center: point(marks), radius_m: 500 });

/** POST routes about an area as a whole, some of them with prices of their own. */
const AREA_POSTS: readonly MeteredRoute[] = [
  post('/v1/coverage', (marks) => ({ area: circle(marks), type: [101], all_of: CRITERIA })),
  post('/v1/blocks/match', (marks) => ({
    area: circle(marks),
    all_of: CRITERIA,
    near: [{ ...point(marks), mode: 'bike', max_minutes: 15 }],
    limit: 7,
  })),
  post('/v1/sites/coverage', (marks) => ({
    sites: [{ id: 'here', ...point(marks) }],
    candidates: [{ id: 'again', ...point(marks) }],
    choose: 1,
    area: circle(marks),
    mode: 'walk',
  })),
];

const SUPPLY = post('/v1/sites/supply', (marks) => ({
  sites: [{ id: 'here', ...point(marks), capacity: 4 }],
  area: circle(marks),
  by: 'county',
  mode: 'walk',
}));

const CHANGES = post('/v1/changes', (marks) => ({
  from: marks.version,
  to: marks.version,
  area: circle(marks),
  type: [101],
}));

const AREA_ACCESS = post('/v1/access', (marks) => ({
  area: circle(marks),
  of: ['jobs', 'people'],
  limit: 7,
}));

/** Metered POST routes. */
export const METERED_POSTS: readonly MeteredRoute[] = [
  ...BATCHES,
  { ...TRIPS, least: 5 },
  AREAL_QUERY,
  AREA_ACCESS,
  ...AREA_POSTS,
  { ...SUPPLY, least: 11 },
];

/** The isochrone route, which is charged per contour. */
export const ISOCHRONE = get('/v1/isochrone', (marks) => ({ block: geoid(marks), minutes: 10 }));

/** A successful request to each metered route. */
export const KNOWN_REQUESTS = [
  ...METERED_GETS,
  POI_DETAIL,
  ISOCHRONE,
  ...METERED_POSTS,
  { ...CHANGES, least: 11 },
];

/** Whether the price of a route, or the least, follows from the request alone. */
export function hasPublicPrice(route: string): boolean {
  return /\/(coverage|supply|changes|explain|isochrone)$/.test(route);
}

/** Whether a route takes `names`: its rows have ids of destination types, or of POIs with times. */
export function takesNames(route: string): boolean {
  return /\/(summary|pois|catchment|blocks|query|coverage)$/.test(route) && !SEARCHES.test(route);
}
/** Routes without `names`: rows of searches have names anyway, and those of sites no types. */
const SEARCHES = /^\/v1\/(pois|places\/\{geoid\}\/pois|sites\/coverage)$/;
