// Generated from the OpenAPI document by emit-types.ts: do not edit.

/** Maximum number of rows to return and to charge; by default 50000. Origins are returned whole, and the first regardless of its rows; the others are listed in `truncated`, with `row-budget`. */
export type MaxRows = number;

/** Up to 1000 points or addresses, each with an `id` of its own, as a list, CSV or GeoJSON; or the POIs of a type. */
export type Sites = ReadonlyArray<{
  id: string | number;
  lat: number;
  lon: number;
} | {
  id: string | number;
  /** An address, intersection or GEOID in place of coordinates, found as `GET /v1/addresses` does: taken from a confidence of 0.8 on, else an error. */
  address: string;
}> | string | {
  type: 'FeatureCollection';
  features: ReadonlyArray<{
    type: 'Feature';
    geometry: {
      type: 'Point';
      coordinates: ReadonlyArray<number>;
    } | null;
    [member: string]: unknown;
  }>;
} | {
  /** A destination type by id or label. */
  type: number | string;
  area?: Area | undefined;
};

/** Up to 1000 points or addresses, each with an `id` of its own, as a list, CSV or GeoJSON; or an area, each of whose blocks is one. */
export type Candidates = ReadonlyArray<{
  id: string | number;
  lat: number;
  lon: number;
} | {
  id: string | number;
  /** An address, intersection or GEOID in place of coordinates, found as `GET /v1/addresses` does: taken from a confidence of 0.8 on, else an error. */
  address: string;
}> | string | {
  type: 'FeatureCollection';
  features: ReadonlyArray<{
    type: 'Feature';
    geometry: {
      type: 'Point';
      coordinates: ReadonlyArray<number>;
    } | null;
    [member: string]: unknown;
  }>;
} | Area;

/** Up to 1000 points or addresses, each with an `id` of its own and, if wanted, a `capacity`, as a list, CSV or GeoJSON; or the POIs of a type, which count as 1 each. */
export type SupplySites = ReadonlyArray<{
  id: string | number;
  /** Capacity of the site in any unit: doctors, beds, places. Omitted: 1. */
  capacity?: number | undefined;
  lat: number;
  lon: number;
} | {
  id: string | number;
  /** Capacity of the site in any unit: doctors, beds, places. Omitted: 1. */
  capacity?: number | undefined;
  /** An address, intersection or GEOID in place of coordinates, found as `GET /v1/addresses` does: taken from a confidence of 0.8 on, else an error. */
  address: string;
}> | string | {
  type: 'FeatureCollection';
  features: ReadonlyArray<{
    type: 'Feature';
    geometry: {
      type: 'Point';
      coordinates: ReadonlyArray<number>;
    } | null;
    [member: string]: unknown;
  }>;
} | {
  /** A destination type by id or label. */
  type: number | string;
  area?: Area | undefined;
};

/** Exactly one of `polygon`, `center` with `radius_m`, `places`, `counties` and `blocks`. A polygon or circle stands for the blocks whose centre is inside. */
export type Area = {
  /** GeoJSON, WGS84; at most 2,000 vertices and 5,000 km². */
  polygon?: {
    type: 'Polygon';
    coordinates: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>;
    bbox?: unknown | undefined;
  } | {
    type: 'MultiPolygon';
    coordinates: ReadonlyArray<ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>>;
    bbox?: unknown | undefined;
  } | undefined;
  /** Centre of a circle. */
  center?: {
    lon: number;
    lat: number;
  } | undefined;
  /** Metres around the centre, at most 50000. */
  radius_m?: number | undefined;
  /** Up to 20 census place GEOIDs of 7 digits. */
  places?: ReadonlyArray<string> | undefined;
  /** Up to 20 county FIPS codes of 5 digits. */
  counties?: ReadonlyArray<string> | undefined;
  /** Up to 10000 block GEOIDs. */
  blocks?: ReadonlyArray<string> | undefined;
};

/** RFC 9457 problem. */
export type Problem = {
  /** Its last path segment is the stable slug. */
  type: string;
  title: string;
  status: number;
  detail?: string;
  errors?: Array<{
    loc: Array<string | number>;
    msg: string;
    type: string;
  }>;
  /** Number of further errors that `errors` does not list, at least: of the wrong items of a list, or unknown members, the first 100 are counted. */
  errors_omitted?: number;
  /** For `tokens-exhausted`: the balance. A price that depends on the number of rows is not disclosed. */
  tokens_remaining?: number;
  /** For `tokens-exhausted`: the price, if it follows from the request alone (contours, tiles, coverage, sites, trips, links). */
  tokens_required?: number;
  /** For `missing-key`, `invalid-key` and `tokens-exhausted`: where to create keys and buy tokens, if configured. */
  account_url?: string;
  /** For `not-acceptable`: the media types of the route. */
  formats?: Array<string>;
  [member: string]: unknown;
};

/** Travel mode. */
export type Mode = 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';

/** How a source changed its counts to protect people, and how far they are off. */
export type Noise = {
  method: string;
  typical_error: Array<{
    counts: string;
    error: string;
    source: string;
  }>;
};

/** A GeoJSON Polygon or MultiPolygon, WGS84. */
export type Geometry = {
  type: 'Polygon';
  coordinates: Array<Array<Array<number>>>;
} | {
  type: 'MultiPolygon';
  coordinates: Array<Array<Array<Array<number>>>>;
};

export type BlockMetadata = {
  geoid: string;
  population: number | null;
  land_area_m2: number | null;
};

/** Minutes to the nearest POI of a type, by one mode. */
export type CategoryTime = {
  dest_type_id: number;
  /** With `names`: the label of the type. */
  dest_type?: string;
  mode: Mode;
  /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
  travel_time: number;
  /** With `nth`: the time is to the n-th nearest POI of the type. */
  nth?: number;
  /** With `count_within`: the number of POIs of the type within so many minutes. */
  count?: number;
};

export type UnroutedReason = 'no-street-near' | 'outside-street-data' | 'not-on-mode-network';

/** The rows. CSV has a header line; members of nested objects are joined by an underscore, and text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is prefixed with an apostrophe, so that no spreadsheet runs it as a formula. Headers carry what JSON contains besides the rows: the next page, the block that contains a point, modes that could not be routed, and, up to 4 kB, the facts of the rows (`X-From`, `X-To`, `X-Departure`, `X-Percentile`, `X-Noise`, `X-Formula`, `X-Sites-From`) and of the blocks (`X-Block`, `X-Blocks`, `X-Origins`). Origins of a batch without rows are also counted in headers; NDJSON lists them in a last line, with `errors`, `truncated` and `truncated_reason` if there are any, and there with the facts that exceed the headers, and CSV in `X-Errors` and `X-Truncated`. */
export type RowsAsText = string;

/** The rows as a Parquet file with the columns of CSV: GEOIDs are text, `travel_time` is a double, any column may have nulls. The key-value metadata of the file has what JSON contains besides the rows, each member as JSON. */
export type RowsAsParquet = string;

/** Minutes to one POI, by one mode. */
export type PoiTime = {
  dest_id: number;
  /** With `names`: the labels of the types of the POI. */
  dest_types?: Array<string>;
  mode: Mode;
  /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
  travel_time: number;
  name: string;
  lon: number;
  lat: number;
  address: Address;
};

export type Address = {
  street: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
};

/** The rows as features of a GeoJSON FeatureCollection: points, or the outline of the block of the row. For a batch it has `errors`, `truncated` and `truncated_reason` as members. */
export type RowsAsGeoJson<Row> = {
  type: 'FeatureCollection';
  features: Array<{
    type: 'Feature';
    geometry: Geometry | { type: 'Point'; coordinates: Array<number> } | null;
    /** The members of the row but its coordinates, which are the geometry. */
    properties: Omit<Row, 'lon' | 'lat'>;
  }>;
  [member: string]: unknown;
};

/** A part of a trip. A `wait` is the time at a stop until the vehicle leaves: at the first stop at least a minute. A `transfer` is the way from one vehicle to the stop of the next, with the minimum time for changing. */
export type Leg = {
  kind: 'walk' | 'wait' | 'ride' | 'transfer';
  minutes: number;
  /** The line of a ride by transit. */
  route?: string;
  /** Where the leg begins, if at a stop. */
  from_stop?: string;
  /** Where the leg ends, if at a stop. */
  to_stop?: string;
};

/** How the times of a trip by transit differ among the departures of the window. */
export type Spread = {
  /** Departures of the window. */
  departures: number;
  /** Departures that take no longer than the stored time. */
  as_fast: number;
  /** Travel times of the window by percentile; null where too few departures are within reach. */
  minutes: {
    '10': number | null;
    '50': number | null;
    '90': number | null;
  };
  /** The lines of the fastest trips, in the order ridden, by how many departures use them; none for a walk. */
  routes: Array<{
    routes: Array<string>;
    departures: number;
  }>;
};

/** The match that was taken for an address. */
export type AddressMatch = {
  /** As sent. */
  address: string;
  label: string;
  kind: 'address' | 'interpolated' | 'street' | 'intersection' | 'coordinates' | 'block' | 'neighbourhood' | 'place' | 'county';
  lat: number;
  lon: number;
  /** The GEOID of the block, or of a place or county itself; of a neighbourhood, that of a block in it. */
  geoid: string;
  confidence: number;
};

/** Why an origin of a batch has no rows. It is named as it was sent. A coordinate or id that is no number is null; the point or POI is then in `sent`, as JSON, shortened if it is long. A trip is named by the members that it was sent with. */
export type OriginError = {
  type: 'block-not-found' | 'no-block-data' | 'point-not-covered' | 'address-not-found' | 'poi-not-found';
  detail: string;
  geoid?: string | null;
  origin_lat?: number | null;
  origin_lon?: number | null;
  address?: string;
  dest_id?: number | null;
  sent?: string;
  from?: string | null;
  to?: string | null;
  mode?: string;
  departs?: string;
};

/** Why origins were truncated; null if none were. */
export type TruncatedReason = 'insufficient-balance' | 'row-budget' | null;

export type PoiSearchResult = {
  dest_id: number;
  name: string;
  lat: number;
  lon: number;
  address: Address;
};

export type PoiDetail = {
  dest_id: number;
  name: string;
  lat: number;
  lon: number;
  address: Address;
  type_ids: Array<number>;
  attrs: {
    brand?: string;
  };
};

/** Minutes from a block to one POI, by one mode. */
export type CatchmentRow = {
  dest_id: number;
  /** With `names`: the name of the POI. */
  name?: string;
  geoid: string;
  mode: Mode;
  /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
  travel_time: number;
};

/** Minutes from a block of an area to the nearest POI of a type, by one mode. */
export type ArealBlockResult = {
  geoid: string;
  dest_type_id: number;
  /** With `names`: the label of the type. */
  dest_type?: string;
  mode_id: number;
  mode: Mode;
  /** Minutes, one decimal; null only in rows added by `include_missing`. */
  travel_time: number | null;
  /** With `nth`: the time is to the n-th nearest POI of the type. */
  nth?: number;
  /** With `count_within`: the number of POIs of the type within so many minutes; null where `reason` is `no-data`. */
  count?: number | null;
  /** Only where `travel_time` is null: too far, or the mode could not be routed from the block. */
  reason?: 'not-within-30' | 'no-data';
  population?: number | null;
};

/** The blocks of an area, their land area, and the margin of counts. */
export type AreaFacts = {
  blocks: number;
  land_area_m2: number;
  /** By weight: the noise of the census changed the sum over the blocks, or over any part of them, by no more in 90 of 100 cases; of access, the largest count of the rows. Null where no measure of the error is published. */
  margin: {
    [member: string]: number | null;
  };
};

/** Sums of a weight over the blocks of an area, by minutes to the n-th nearest POI of a type. */
export type CoverageRow = {
  dest_type_id: number;
  /** With `names`: the label of the type. */
  dest_type?: string;
  mode: Mode;
  weight: string;
  nth: number;
  total: number;
  /** Sums by minutes, cumulative. */
  within: {
    [member: string]: number;
  };
  beyond: number;
  /** Where the mode could not be routed from the block. */
  no_data: number;
  /** With `by`: Parts of those whose time is known (`total` − `no_data`) within the minutes. To four decimals; null where undefined, and for small groups. */
  share?: {
    [member: string]: number | null;
  };
  /** With `by`: The shares, each divided by that of `weight`. To four decimals; null where undefined, and for small groups. */
  ratio?: {
    [member: string]: number | null;
  };
  /** With `by`: Gini coefficient of the minutes, from 0 (equal) towards 1, over those whose time is known; those beyond count as at 30 minutes, so it is a lower bound. */
  gini?: number | null;
};

/** Sums over an area by the criteria that its blocks meet. */
export type Basket = {
  all_of: Array<{
    type: number;
    mode: Mode;
    max_minutes: number;
    nth: number;
  }>;
  total: number;
  with_all: number;
  /** By the number of criteria met, from none to all. */
  met: Array<number>;
  /** By criterion: where all others are met but this one is not. */
  missing_only: Array<number>;
  no_data: number;
};

export type MatchedBlock = {
  geoid: string;
  population: number | null;
};

/** The blocks that were counted, their land area, the margin of counts, and the counties they lie in. */
export type SitesArea = {
  blocks: number;
  land_area_m2: number;
  /** By weight: the noise of the census changed the sum over the blocks, or over any part of them, by no more in 90 of 100 cases; of access, the largest count of the rows. Null where no measure of the error is published. */
  margin: {
    [member: string]: number | null;
  };
  counties: Array<string>;
};

/** For sites of a type: whether they are the POIs in an `area` of their own, or those `near` the area that was counted; the counties they lie in; how many lie outside what was counted. */
export type SitesFrom = {
  kind: 'area' | 'near';
  counties: Array<string>;
  outside: number;
};

/** Sums of a weight over the blocks of an area, by minutes to the nearest site. */
export type SiteCoverageRow = {
  mode: Mode;
  weight: string;
  total: number;
  /** Sums by minutes, cumulative. */
  within: {
    [member: string]: number;
  };
  beyond: number;
  /** Where the mode could not be routed from the block. */
  no_data: number;
};

/** The sum of the ratios of the sites within reach of a block, or its average. */
export type SupplyRow = {
  /** A block; with `by`, a tract, a place or a county. */
  geoid: string;
  /** Capacity per 1000 of the weight, to six significant digits; with `by`, the average. */
  supply: number;
  /** With `by`: sum of `weight` over the blocks. */
  total?: number;
  /** With `by`: the part of `total` in blocks that the mode could not be routed from, which the average leaves out. */
  no_data?: number;
};

/** A count of opportunities within reach of a block, by one mode. */
export type OpportunityCount = {
  /** A weight, or `type:ID`. */
  of: string;
  mode: Mode;
  /** Absent with a `decay` other than `step`. */
  minutes?: number;
  /** How many are within reach; with a decay, their sum. */
  count: number;
};

/** A count of opportunities within reach of a block, or its average over an area. */
export type AreaOpportunityCount = {
  /** A block; with `by`, a tract, a place or a county. */
  geoid: string;
  /** A weight, or `type:ID`. */
  of: string;
  mode: Mode;
  minutes: number;
  /** How many are within reach; with `by`, the average, to one decimal. Null only in rows added by `include_missing`. */
  count: number | null;
  /** Only where `count` is null: the mode could not be routed from any block, no block has any of `weight`, or it is a small group (`small`). */
  reason?: 'no-data' | 'no-weight' | 'small-group';
  /** With `by`: sum of `weight` over the blocks. */
  total?: number;
  /** With `by`: the part of `total` in blocks that the mode could not be routed from, which the average leaves out. */
  no_data?: number;
};

/** Sums of a weight by how a time or count changed. */
export type ChangeRow = {
  /** A tract, a place or a county. */
  geoid?: string;
  mode: Mode;
  type?: number;
  /** A weight, or `type:ID`. */
  of?: string;
  minutes?: number;
  weight: string;
  total: number;
  gained: {
    [member: string]: number;
  };
  lost: {
    [member: string]: number;
  };
  unchanged: number;
  /** Beyond 30 minutes before only. */
  newly_within?: number;
  no_longer_within?: number;
  /** Over the blocks known in both releases, to two decimals. */
  mean_before: number | null;
  mean_after: number | null;
  no_data: number;
};

/** A trip with its legs, whose minutes add up to its time. */
export type ExplainedTrip = {
  block: string;
  to: string | number;
  mode: Mode;
  departure: string;
  travel_time: number | null;
  /** Local time at which the rider leaves, `HH:MM`; null for a trip without rides. */
  departs: string | null;
  /** How often the rider changes vehicles. */
  transfers: number;
  legs: Array<Leg>;
  spread?: Spread;
};

export type Assumptions = {
  max_trip_duration_min?: number;
  max_reach_min?: number;
  walk_speed_kmh?: number;
  bike_speed_kmh?: number;
  bike_max_traffic_stress?: number;
  bike_beyond_traffic_stress?: string;
  bike_tracks?: string;
  bike_sidepath?: string;
  walk_sidepath?: string;
  bike_barriers?: string;
  link_radius_m?: number;
  link_radius_fallback_m?: number;
  link_to?: string;
  min_island_vertices?: number;
  origin?: string;
  rounding?: string;
  direction_to?: string;
  departures?: Array<string>;
  percentiles?: Array<number>;
  windows?: Array<{
    name: string;
    opens: string;
    departures: number;
    day: 'weekday' | 'saturday' | 'sunday';
    percentiles: Array<number>;
    service_date: string;
  }>;
  transit_departure?: string;
  transit_service_day?: string;
  transit_window?: string;
  transit_window_min?: number;
  transit_percentile?: number;
  transit_percentile_formula?: string;
  transit_on_request?: string;
  transit_board_slack_s?: number;
  transit_max_walk_leg_min?: number;
  transit_max_transfer_walk_m?: number;
  transit_staying_seated?: string;
  transit_frequent?: string;
  transit_stations?: string;
  transit_subway_default_s?: number;
  transit_direct_walk?: string;
  feeds?: Array<{
    file: string;
    feed_id: string | null;
    agency: string;
    service_date: string;
  }>;
  rules_of_r5?: {
    [member: string]: string;
  };
  fill_holes_below_m2?: number;
  [member: string]: unknown;
};

/** `format=geojson`: largest contour first. */
export type Isochrone = {
  type: 'FeatureCollection';
  version: string;
  direction: 'from' | 'to';
  mode: Mode;
  assumptions: Assumptions;
  block: string;
  reachable_blocks: number;
  features: Array<{
    type: 'Feature';
    geometry: Geometry;
    properties: {
      contour: number;
      mode: Mode;
      reachable_blocks: number;
      /** With `of`: how many of each are within reach. */
      counts?: {
        [member: string]: number;
      };
    };
  }>;
};

/** `format=blocks`: whole minutes, rounded up. */
export type IsochroneBlocks = {
  blocks: Array<{
    geoid: string;
    travel_min: number;
    /** With `contours`: the smallest contour that contains the block. */
    contour?: number;
  }>;
  version: string;
  direction: 'from' | 'to';
  mode: Mode;
  assumptions: Assumptions;
  block: string;
  reachable_blocks: number;
  /** With `of`: how many of each are within reach. */
  counts?: {
    [member: string]: number;
  };
};

/** Problem documents by slug. */
export interface Problems {
  /** Invalid parameters. Status 400. */
  'invalid-parameters': Problem;
  /** API key in URL. Status 400. */
  'key-in-url': Problem;
  /** Internal error. Status 500. */
  'internal-error': Problem;
  /** No acceptable format. Status 406. */
  'not-acceptable': Problem & Required<Pick<Problem, 'formats'>>;
  /** Precondition failed. Status 412. */
  'precondition-failed': Problem;
  /** Too many requests. Status 429. */
  'rate-limited': Problem;
  /** Service overloaded. Status 503. */
  'overloaded': Problem;
  /** Data unavailable. Status 503. */
  'store-unavailable': Problem;
  /** Unknown census place. Status 404. */
  'place-not-found': Problem;
  /** API key required. Status 401. */
  'missing-key': Problem;
  /** Invalid API key. Status 401. */
  'invalid-key': Problem;
  /** Account disabled. Status 403. */
  'account-disabled': Problem;
  /** Accounts unavailable. Status 503. */
  'debit-unavailable': Problem;
  /** Invalid cursor. Status 400. */
  'invalid-cursor': Problem;
  /** Unknown census block. Status 404. */
  'block-not-found': Problem;
  /** Not enough tokens. Status 429. */
  'tokens-exhausted': Problem & Required<Pick<Problem, 'tokens_remaining'>>;
  /** No such point of interest. Status 404. */
  'poi-not-found': Problem;
  /** Outside all blocks of the release. Status 404. */
  'point-not-covered': Problem;
  /** Origins required. Status 400. */
  'missing-origins': Problem;
  /** Too many origins. Status 400. */
  'too-many-origins': Problem;
  /** Request timeout. Status 408. */
  'request-timeout': Problem;
  /** Idempotency-Key already used. Status 409. */
  'idempotency-conflict': Problem;
  /** Body too large. Status 413. */
  'payload-too-large': Problem;
  /** Unsupported body type. Status 415. */
  'unsupported-media-type': Problem;
  /** Location required. Status 400. */
  'missing-location': Problem;
  /** Invalid bounding box. Status 400. */
  'invalid-bbox': Problem;
  /** Area required. Status 400. */
  'missing-area': Problem;
  /** Invalid geometry. Status 400. */
  'invalid-geometry': Problem;
  /** Polygon too large or too detailed. Status 400. */
  'polygon-too-complex': Problem;
  /** Unknown county. Status 404. */
  'county-not-found': Problem;
  /** No isochrone data. Status 404. */
  'no-isochrone-data': Problem;
  /** Direction not available. Status 404. */
  'direction-not-available': Problem;
  /** No such export. Status 404. */
  'export-not-found': Problem;
  /** No such tile archive. Status 404. */
  'archive-not-found': Problem;
  /** The range is outside the file. Status 416. */
  'range-not-satisfiable': Problem;
  /** The link does not work. Status 403. */
  'link-refused': Problem;
  /** Page of another origin. Status 403. */
  'origin-not-allowed': Problem;
}

/** Parameters that several operations take. */
export interface SharedParams {
  /** Rows per page, 1 to 1000. */
  limit?: number | undefined;
  /** Part of the name; case and accents are ignored. */
  q?: string | undefined;
  /** Census place GEOID, 7 digits including leading zeros. */
  geoid: string;
  /** Travel modes; repeat the parameter for several. Omitted: all modes of the release. */
  mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
  /** Window of departures of the transit times: `am` is a weekday from 8:00 to 9:00, every minute. */
  departure?: string | undefined;
  /** Percentile of the transit times over the departures of the window: 10 is the time of someone who knows the timetable and chooses when to leave. */
  percentile?: number | undefined;
  /** Destination types by id, or by label (`grocery_stores`); repeat the parameter for several. A parent stands for all its leaves. Omitted: all types. */
  type?: ReadonlyArray<number> | undefined;
  /** Minutes to the n-th nearest POI of each type, 1 to 5; repeat the parameter for several. Each row then has `nth`. Omitted: the nearest. */
  nth?: ReadonlyArray<number> | undefined;
  /** Adds `count` to each row: the number of POIs of the type within this many whole minutes, 1 to 30. */
  count_within?: number | undefined;
  /** Adds labels to each row, at no cost: `dest_type` after `dest_type_id`; after the `dest_id` of a POI the `dest_types` that it has, and in catchments its `name`. */
  names?: boolean | undefined;
  /** `next_cursor` of the previous page, with the same other parameters. */
  cursor?: string | undefined;
  /** Only these POIs; repeat the parameter for several. */
  dest_id?: ReadonlyArray<number> | undefined;
  /** Only destinations within this many minutes, at most 30. */
  max_minutes?: number | undefined;
  /** Adds, by transit, how the times and lines of the fastest trips differ among the departures of the window. Trips by other modes have none. */
  spread?: boolean | undefined;
  /** Latitude, WGS84 degrees. */
  lat: number;
  /** Longitude, WGS84 degrees. */
  lon: number;
  /** Points, or addresses, 1 to 250. A malformed or unknown one fails alone and is listed in `errors`. */
  origins: ReadonlyArray<{
    lat: number;
    lon: number;
  } | {
    /** An address, intersection or GEOID in place of coordinates, found as `GET /v1/addresses` does: taken from a confidence of 0.8 on, else an error. */
    address: string;
  }>;
  max_rows?: MaxRows | undefined;
  /** `min_lon,min_lat,max_lon,max_lat`, WGS84 degrees. If `min_lon` is greater than `max_lon`, the box crosses the antimeridian and must span less than 180 degrees. */
  bbox?: string | undefined;
  /** Include the population of the block in each row. */
  include_population?: boolean | undefined;
  /** Return a row for every block of the area, or with `by` for every tract, place or county: where there is no count, `count` is null and `reason` says why. Charged like any other row. */
  include_missing?: boolean | undefined;
  /** Columns of counts by block to sum. `/v1/meta/weights` lists them. Omitted: `people`. */
  weight?: ReadonlyArray<string> | undefined;
  /** A row per area of this kind, with the average of its blocks. Omitted: per block. */
  by?: 'tract' | 'place' | 'county' | undefined;
  /** With `by`: averages by a `weight` other than people also where those of fewer than 100 are known; such areas have no row otherwise. */
  small?: boolean | undefined;
  /** County FIPS code, 5 digits including leading zeros. */
  fips: string;
  area?: Area | undefined;
  /** From the origin, or towards it. */
  direction?: 'from' | 'to' | undefined;
  /** Time limits in minutes, ascending; up to 30 for `type:`. Omitted: 15, 30, 45, 60 (15, 30 for `type:`). */
  minutes?: ReadonlyArray<number> | undefined;
  /** `step`: counts within `minutes`. `linear:M`, `exponential:HALF_LIFE`, `logistic:CENTER:SD` (minutes, over 0 and at most 60): one count, to which each opportunity adds 1 − t/M, 2^(−t/HALF_LIFE) or 1/(1 + e^((t − CENTER)·π/(SD·√3))) by its time t (Hansen, 1959; Kwan, 1998; the last is the logistic distribution of that mean and standard deviation). */
  decay?: string | undefined;
  /** Weights of the release (`people`, `jobs`, …; see `/v1/meta/weights`), or `type:ID` (or a label) for the number of POIs of a destination type. Omitted: `people`. */
  of?: ReadonlyArray<string> | undefined;
  /** Count for every minute up to 60 (30 for `type:`), in place of `minutes`. */
  curve?: boolean | undefined;
  /** A leaf destination type, by id or by label. */
  dest_type_id: number;
}

/** Responses of several operations, by media type. */
export interface SharedResponses {
  'application/geo+json': RowsAsGeoJson<PoiTime>;
  'text/csv': string;
  'application/x-ndjson': string;
  'application/vnd.apache.parquet': Uint8Array;
}

/** Parameters, and responses by media type, of each operation. */
export interface Operations {
  /** Check whether the process is alive. Touches no backend. */
  getHealth: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        status: 'ok';
        version: string;
      };
    };
  };
  /** Check whether the service is ready. Queries each backend. 503 if one does not respond within two seconds, and during shutdown. `release` is `held` while the served release is not the latest one promoted, because that one has not been opened yet or cannot be; requests are still served. */
  getReady: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        ready: boolean;
        checks: {
          store: 'ok' | 'unavailable';
          release: 'current' | 'held' | 'unavailable';
          ledger: 'ok' | 'unavailable';
        };
      };
    };
  };
  /** When the data was last updated. When the current release was first published, and its name. The same from every server; after a rollback, the date of the restored release. */
  getLastUpdated: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        last_updated: string;
        release: string;
      };
    };
  };
  /** Travel modes and their ids. The modes in the current release. Block, point and POI routes use labels; areal rows have both label and id. */
  getModes: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        modes: Array<{
          mode_id: number;
          mode: Mode;
          description: string;
        }>;
      };
    };
  };
  /** Taxonomy of destination types. The types in the current release. Every POI is of leaf types; a parent stands for all leaves below it. */
  getDestinationTypes: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        destination_types: Array<{
          dest_type_id: number;
          name: string;
          label: string;
          is_leaf: boolean;
          leaf_ids: Array<number>;
          parent_id: number | null;
        }>;
      };
    };
  };
  /** Weights of blocks: people, jobs, groups. The weights of the blocks of the current release, for coverage and opportunities. `people` is always there. `modelled`: counts of block groups or tracts were spread over their blocks by population. `noise`: how the source changed the counts to protect people, and how far they are off; null if it is not known to. */
  getWeights: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        weights: Array<{
          weight: string;
          label: string;
          unit: string;
          source: string;
          year: number | null;
          modelled: boolean;
          total: number;
          /** Whether the release counts it within reach of every block. */
          area_access: boolean;
          noise: Noise | null;
        }>;
        /** Ids of the types whose POIs the release counts within reach of every block. */
        area_access_types: Array<number>;
      };
    };
  };
  /** Version of each data component. A version changes with everything the component was made from: files, parameters, and how they were processed. The date is the effective date of the data. Also what the release holds, and what changed since the one before. `/releases.atom` is a feed of releases. */
  getVintage: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        components: Array<{
          component: string;
          version: string;
          effective_date: string;
        }>;
        /** The counties of the release, their population of the 2020 census, and how many of their blocks have a street nearby. */
        coverage: {
          states: number;
          counties: number;
          population: number;
          blocks: number;
          routable_blocks: number;
        };
        /** Counties with fewer than 80 % of their blocks near a street: their street data has a gap. */
        coverage_gaps: Array<{
          county: string;
          /** Name of the county with its state; null if the release was built without names. */
          name: string | null;
          blocks: number;
          routable_blocks: number;
        }>;
        /** The GTFS feeds that were given for the release, used or not, by file. */
        feeds: Array<{
          file: string;
          publisher: string | null;
          /** Null where none is known. */
          licence: string | null;
          /** The day whose service was read. */
          service_date: string | null;
          /** Trips on that day. */
          trips: number | null;
          status: 'used' | 'left-out' | 'empty-in-window';
          /** Why the feed is left out, or has less service than expected. */
          reason: string | null;
        }>;
        /** The release that was current before; null for the first, and if not known. */
        before: string | null;
        /** Blocks without a street nearby, by mode and reason; null if not counted. */
        blocks_without_streets: Array<{
          mode: 'walk' | 'bike' | 'step_free';
          reason: 'no-street-near' | 'outside-street-data' | 'not-on-mode-network';
          blocks: number;
          blocks_before: number | null;
        }> | null;
        /** POIs by leaf type, and how many the release before had; null if not counted. */
        pois: Array<{
          dest_type_id: number;
          label: string;
          pois: number;
          pois_before: number | null;
        }> | null;
        /** Changes since the release before; null without one, and if not known. */
        changes: {
          counties: {
            both: number;
            changed: number;
            added: Array<string>;
            gone: Array<string>;
          };
          feeds: {
            used_before: number;
            added: Array<string>;
            lost: Array<{
              file: string;
              reason: string | null;
            }>;
          };
          cut_off: Array<{
            county: string;
            blocks: number;
            linked_before: number;
          }>;
          times: {
            compared: number;
            moved: number;
            moved_much: number;
          };
          objects: {
            all: number;
            kept: number;
            new_bytes: number;
          };
        } | null;
      };
    };
  };
  /** Free grant, membership and token packs. All prices, machine-readable. */
  getPlans: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        free_grant: {
          tokens: number;
        };
        membership: {
          price_usd: number;
          interval: 'month';
          tokens_per_month: number;
          isochrones_unmetered: boolean;
        };
        token_packs: Array<{
          id: string;
          tokens: number;
          price_usd: number;
        }>;
        charges: {
          row: number;
          isochrone_contour: number;
          tile: number;
          minimum: number;
          /** The least that coverage of an area costs. */
          area_minimum: number;
          basket: number;
          /** A site or a candidate. */
          site: number;
          sites_minimum: number;
          changes: number;
          explain: number;
          /** A file of each exported table: of one county, or of the release. */
          exports: {
            [member: string]: number;
          };
        };
        /** Where to create keys and buy tokens; null if not configured. */
        account_url: string | null;
      };
    };
  };
  /** The releases that can be compared. The releases of the store, as `POST /v1/changes` and `release` of `/v1/meta/block-bands` take them: the current one, then those published before, the last first, then those that never were, such as scenarios. A store that cannot be listed has the last twenty published. */
  getReleases: {
    params: {
      /** Releases listed, at most 100, which is the default. */
      limit?: number | undefined;
    };
    responses: {
      'application/json': {
        releases: Array<{
          /** Its label, which another may have too. */
          release: string;
          /** As `from` and `to` take it. */
          version: string;
          /** Null if it was not published, or is not among the last twenty. */
          published_at: string | null;
        }>;
      };
    };
  };
  /** Search census places by name. Best match first: the whole name, its beginning, the beginning of a word in it, any part; among equal matches the most populous. The letters of a state may follow the name: `Port Meridian, XA`. A GEOID of 7 digits finds its place. Case and accents are ignored. Places of the current release only. */
  findPlaces: {
    params: {
      /** Part of the name; case and accents are ignored. */
      q: string;
      /** Maximum number of places, 1 to 20. */
      limit?: number | undefined;
    };
    responses: {
      'application/json': {
        places: Array<{
          name: string;
          geoid: string;
          state: string;
          lon: number;
          lat: number;
        }>;
      };
    };
  };
  /** Outline of a census place. A GeoJSON Feature, WGS84, lightly simplified for display. */
  getPlaceBoundary: {
    params: Pick<SharedParams, 'geoid'>;
    responses: {
      'application/json': {
        type: 'Feature';
        geometry: Geometry;
        properties: {
          geoid: string;
          name: string;
        };
      };
      'application/geo+json': {
        type: 'Feature';
        geometry: Geometry;
        properties: {
          geoid: string;
          name: string;
        };
      };
    };
  };
  /** Search addresses. Best match first: a house number that is on the map (`address`) or estimated between others (`interpolated`), a `street`, an `intersection` (`Plum Avenue & 5th Street`), `coordinates` (latitude first), a `block`, a `neighbourhood` of OpenStreetMap as a point in it, a census `place`, a `county` by code or name. Abbreviations, missing directions, cities and ZIP codes, and a letter or two wrong in a name of five letters are understood. `confidence`, 0 to 1, falls with each difference from the text, and with each other match that fits about as well; nothing below 0.3 is listed. From 0.8 on a match may be taken without asking: matches in two blocks that fit equally well are both below it, as is a street whose number is not known, and a match in another state or city than the text names. Only releases that were built with addresses have those, streets and neighbourhoods. */
  findAddresses: {
    params: {
      /** Address, intersection, street, coordinates, GEOID, neighbourhood, place or county; at most 100 characters. */
      q: string;
      /** `lon,lat`, WGS84 degrees: matches near it are preferred, and counties around it are searched where the text names no city and no ZIP code. */
      near?: string | undefined;
      /** Maximum number of matches, 1 to 20. */
      limit?: number | undefined;
    };
    responses: {
      'application/json': {
        results: Array<{
          label: string;
          kind: 'address' | 'interpolated' | 'street' | 'intersection' | 'coordinates' | 'block' | 'neighbourhood' | 'place' | 'county';
          lat: number;
          lon: number;
          /** The GEOID of the block, or of a place or county itself; of a neighbourhood, that of a block in it. */
          geoid: string;
          confidence: number;
          /** From `near`, in metres; null without it. */
          distance_m: number | null;
        }>;
        /** Only where nothing certain is found in a release without addresses: says so. */
        note?: string;
      };
    };
  };
  /** Token balance of the account. Free, and available at a zero balance too. */
  getTokens: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        tokens_remaining: number;
      };
    };
  };
  /** Minutes from a block to the nearest POI of each type. One row per destination type and mode within 30 minutes. A missing row means "not within 30 minutes", or unknown if the mode is listed in `unrouted`. Ordered by mode id, type id, `nth`. Returns all rows at once; paginated if you send `limit` or `cursor`. `nth` and `count_within` say how much choice there is: one row per n, as far as there are that many POIs. One token per row, at least one. */
  getBlockSummary: {
    params: Pick<SharedParams, 'mode' | 'departure' | 'percentile' | 'type' | 'nth' | 'count_within' | 'names' | 'cursor'> & {
      /** Census block GEOID, 15 digits including leading zeros. */
      geoid: string;
      /** Rows per page, 1 to 1000. Without `limit` and `cursor`, all rows are returned at once. */
      limit?: number | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        block: BlockMetadata;
        results: Array<CategoryTime>;
        /** Present only if `limit` or `cursor` was sent; null on the last page. */
        next_cursor?: string | null;
        /** Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** Minutes from a block to each POI within reach. One row per POI and mode within 30 minutes, ordered by mode id, then dest_id. Paginated: pass `next_cursor` as `cursor` until it is null. One token per row, at least one per page. */
  listBlockPois: {
    params: Pick<SharedParams, 'mode' | 'departure' | 'percentile' | 'type' | 'dest_id' | 'max_minutes' | 'names' | 'limit' | 'cursor'> & {
      /** Census block GEOID, 15 digits including leading zeros. */
      geoid: string;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet' | 'application/geo+json'> & {
      'application/json': {
        block_geoid: string;
        results: Array<PoiTime>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
        /** Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** The legs of a trip from a block to a block or a POI. The travel time of the trip, as the other routes have it, and the legs of a trip that takes as long: walks, waits, rides and transfers, whose minutes add up to it. By transit the legs are of the first departure of the window that takes as long as the percentile states. Minutes are whole between blocks, and tenths to POIs. `travel_time` is null, without legs, for a trip beyond reach: over 60 minutes to a block, or over 30 to a POI; or, with `unrouted`, for one that is not known. 5 tokens. */
  explainTrip: {
    params: Pick<SharedParams, 'departure' | 'percentile' | 'spread'> & {
      /** Census block GEOID, 15 digits including leading zeros. */
      geoid: string;
      /** Block where the trip ends, by GEOID; or send `dest_id`. */
      to?: string | undefined;
      /** POI where the trip ends; or send `to`. */
      dest_id?: number | undefined;
      /** Travel mode. Omitted: transit, or walk in a release without transit. */
      mode?: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free' | undefined;
      /** Explains the fastest trip by transit that leaves at this local time, such as `08:15`, instead of the stored time. Trips by other modes are the same at all hours, with or without it. */
      departs?: string | undefined;
    };
    responses: {
      'application/json': {
        block: string;
        to: string | number;
        mode: Mode;
        departure: string;
        travel_time: number | null;
        /** Local time at which the rider leaves, `HH:MM`; null for a trip without rides. */
        departs: string | null;
        /** How often the rider changes vehicles. */
        transfers: number;
        legs: Array<Leg>;
        spread?: Spread;
        /** Why the mode could not be routed from the block or, if it could, to the block where the trip ends. The travel time is then not known. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** Minutes from the block of a point to the nearest POI of each type. The point is resolved to the census block that contains it; the rows are those of that block. A point on a border belongs to the block with the lowest GEOID. Returns all rows at once; paginated if you send `limit` or `cursor`. One token per row, at least one. */
  getPointSummary: {
    params: Pick<SharedParams, 'lat' | 'lon' | 'mode' | 'departure' | 'percentile' | 'type' | 'nth' | 'count_within' | 'names' | 'cursor'> & {
      /** Rows per page, 1 to 1000. Without `limit` and `cursor`, all rows are returned at once. */
      limit?: number | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        resolved_block: string;
        block: BlockMetadata;
        results: Array<CategoryTime>;
        /** Present only if `limit` or `cursor` was sent; null on the last page. */
        next_cursor?: string | null;
        /** Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** Summaries of many points. `GET /v1/point/summary` for many points. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. One token per row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. */
  getPointSummaries: {
    params: Pick<SharedParams, 'origins' | 'departure' | 'percentile' | 'count_within' | 'names' | 'max_rows'> & {
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** Minutes to the n-th nearest POI of each type, 1 to 5. Each row then has `nth`. Omitted: the nearest. */
      nth?: ReadonlyArray<number> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<{
          dest_type_id: number;
          /** With `names`: the label of the type. */
          dest_type?: string;
          mode: Mode;
          /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
          travel_time: number;
          /** With `nth`: the time is to the n-th nearest POI of the type. */
          nth?: number;
          /** With `count_within`: the number of POIs of the type within so many minutes. */
          count?: number;
          origin_lat: number;
          origin_lon: number;
          match?: AddressMatch;
        }>;
        origins: Array<{
          origin_lat: number;
          origin_lon: number;
          match?: AddressMatch;
          resolved_block: string;
          population: number | null;
          land_area_m2: number | null;
        }>;
        truncated: Array<{
          origin_lat: number;
          origin_lon: number;
        } | {
          address: string;
        }>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
    };
  };
  /** Minutes from the block of a point to each POI within reach. The point is resolved to the census block that contains it; the rows are those of that block, ordered by mode id, then dest_id. Paginated. One token per row, at least one per page. */
  listPointPois: {
    params: Pick<SharedParams, 'lat' | 'lon' | 'mode' | 'departure' | 'percentile' | 'type' | 'dest_id' | 'max_minutes' | 'names' | 'limit' | 'cursor'>;
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet' | 'application/geo+json'> & {
      'application/json': {
        resolved_block: string;
        results: Array<PoiTime>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
        /** Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** POIs within reach of many points. All rows of `GET /v1/point/pois` for many points. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. One token per row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. */
  listPointsPois: {
    params: Pick<SharedParams, 'origins' | 'departure' | 'percentile' | 'max_minutes' | 'names' | 'max_rows'> & {
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** Only these POIs. */
      dest_id?: ReadonlyArray<number> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<{
          dest_id: number;
          /** With `names`: the labels of the types of the POI. */
          dest_types?: Array<string>;
          mode: Mode;
          /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
          travel_time: number;
          name: string;
          lon: number;
          lat: number;
          address: Address;
          origin_lat: number;
          origin_lon: number;
          match?: AddressMatch;
        }>;
        origins: Array<{
          origin_lat: number;
          origin_lon: number;
          match?: AddressMatch;
          resolved_block: string;
        }>;
        truncated: Array<{
          origin_lat: number;
          origin_lon: number;
        } | {
          address: string;
        }>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
      'application/geo+json': RowsAsGeoJson<{
        dest_id: number;
        /** With `names`: the labels of the types of the POI. */
        dest_types?: Array<string>;
        mode: Mode;
        /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
        travel_time: number;
        name: string;
        lon: number;
        lat: number;
        address: Address;
        origin_lat: number;
        origin_lon: number;
        match?: AddressMatch;
      }>;
    };
  };
  /** Search POIs in a box or around a point. Send either `bbox`, or `lat`, `lon` and `radius_m`. A box whose west edge is east of its east edge crosses the antimeridian. Spatial only: no travel times. In a fixed spatial order, paginated; over a very large area a page may hold fewer rows than `limit` without being the last: only a null `next_cursor` marks the end. One token per row, at least one per page. */
  searchPois: {
    params: Pick<SharedParams, 'bbox' | 'type' | 'q' | 'limit' | 'cursor'> & {
      /** Latitude, WGS84 degrees. */
      lat?: number | undefined;
      /** Longitude, WGS84 degrees. */
      lon?: number | undefined;
      /** Metres around the point, at most 50000. */
      radius_m?: number | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<PoiSearchResult>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
      'application/geo+json': RowsAsGeoJson<PoiSearchResult>;
    };
  };
  /** Details of a POI. The types, address and brand of a POI, where known. One token. */
  getPoi: {
    params: {
      /** Stable id of a POI. */
      dest_id: number;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': PoiDetail;
      'application/geo+json': RowsAsGeoJson<PoiDetail>;
    };
  };
  /** Minutes to a POI from each block that reaches it. One row per block and mode within 30 minutes of the POI, ordered by mode id, then GEOID. Paginated. One token per row, at least one per page. */
  listPoiCatchment: {
    params: Pick<SharedParams, 'mode' | 'departure' | 'percentile' | 'max_minutes' | 'names' | 'limit' | 'cursor'> & {
      /** Stable id of a POI. */
      dest_id: number;
      /** Only these blocks, by GEOID, as text or numbers; repeat the parameter for several. */
      block?: ReadonlyArray<number> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        dest_id: number;
        results: Array<CatchmentRow>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
    };
  };
  /** Minutes to the nearest POI of each type, for all blocks of a city or town. Returns rows for the blocks whose centre is in the place, ordered by GEOID, type id, mode id, `nth`. A missing row means "not within 30 minutes" or unknown: `include_missing` distinguishes the two. `nth` and `count_within` say how much choice there is. In GeoJSON each row is the outline of its block, and a page ends early at 4 MB. Paginated; over many blocks without rows a page may hold fewer rows than `limit`, or none, without being the last: only a null `next_cursor` marks the end. One token per row, at least one per page. */
  listPlaceBlocks: {
    params: Pick<SharedParams, 'geoid' | 'mode' | 'departure' | 'percentile' | 'type' | 'nth' | 'count_within' | 'names' | 'include_population' | 'limit' | 'cursor'> & {
      /** Return a row for every block of the area, requested type and mode: where there is no time, `travel_time` is null and `reason` says why. Charged like any other row. */
      include_missing?: boolean | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<ArealBlockResult>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
      'application/geo+json': RowsAsGeoJson<ArealBlockResult>;
    };
  };
  /** POIs in a city or town. POIs inside the census place, by the same outline that decides which blocks belong to it; the boundary route returns a simplified version. Spatial only: no travel times. In a fixed spatial order, paginated. One token per row, at least one per page. */
  listPlacePois: {
    params: Pick<SharedParams, 'geoid' | 'type' | 'q' | 'limit' | 'cursor'>;
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<PoiSearchResult>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
      'application/geo+json': RowsAsGeoJson<PoiSearchResult>;
    };
  };
  /** Minutes to the nearest POI of each type, for all blocks of an area. Send `polygon`, or `center` and `radius_m`. Returns rows for the blocks whose centre is in the area, ordered by GEOID, type id, mode id, `nth`. A missing row means "not within 30 minutes" or unknown: `include_missing` distinguishes the two. `nth` and `count_within` say how much choice there is. In GeoJSON each row is the outline of its block, and a page ends early at 4 MB. Paginated; over many counties, or many blocks without rows, a page may hold fewer rows than `limit`, or none, without being the last: only a null `next_cursor` marks the end. One token per row, at least one per page. */
  queryBlocks: {
    params: Pick<SharedParams, 'departure' | 'percentile' | 'count_within' | 'names' | 'include_population' | 'limit'> & {
      /** GeoJSON, WGS84; at most 2,000 vertices and 5,000 km². */
      polygon?: {
        type: 'Polygon';
        coordinates: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>;
        bbox?: unknown | undefined;
      } | {
        type: 'MultiPolygon';
        coordinates: ReadonlyArray<ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>>;
        bbox?: unknown | undefined;
      } | undefined;
      /** Centre of a circle. */
      center?: {
        lon: number;
        lat: number;
      } | undefined;
      /** Metres around the centre, at most 50000. */
      radius_m?: number | undefined;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** Minutes to the n-th nearest POI of each type, 1 to 5. Each row then has `nth`. Omitted: the nearest. */
      nth?: ReadonlyArray<number> | undefined;
      /** Return a row for every block of the area, requested type and mode: where there is no time, `travel_time` is null and `reason` says why. Charged like any other row. */
      include_missing?: boolean | undefined;
      /** `next_cursor` of the previous page, with the same other members. Null: the first page. */
      cursor?: string | null | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<ArealBlockResult>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
      'application/geo+json': RowsAsGeoJson<ArealBlockResult>;
    };
  };
  /** People of a city or town by minutes to the nearest POI of each type. The area is the blocks whose centre is in the place. For each type, mode and weight: the sum over the blocks of the area that are within 5, 10, … 30 minutes of the `nth` nearest POI (cumulative), beyond, and `no_data`, where the mode could not be routed from the block. `total` is always `within["30"]` + `beyond` + `no_data`. Ordered by type id, mode id, then weight as sent. With `by`, groups such as `hispanic` or `workers_low_wage` have rows after that of `weight`, and all rows the `share` within the minutes, its `ratio` to that of `weight`, and the `gini` of the minutes (twice the area between their Lorenz curve and the diagonal). One token a row, at least 10. */
  getPlaceCoverage: {
    params: Pick<SharedParams, 'geoid' | 'mode' | 'departure' | 'percentile' | 'type' | 'names'> & {
      /** Columns of counts by block to sum; repeat the parameter for several. `/v1/meta/weights` lists them. Omitted: `people`. */
      weight?: ReadonlyArray<string> | undefined;
      /** Weights that are groups, to be compared with `weight`; repeat the parameter for several. Each has rows of its own, and all rows have `share`, `ratio` and `gini`. */
      by?: ReadonlyArray<string> | undefined;
      /** States `share`, `ratio` and `gini` also for groups of fewer than 100, for which they are null otherwise: the noise of the sources is a large part of so few (`/v1/meta/weights`). */
      small?: boolean | undefined;
      /** Minutes are to the n-th nearest POI of each type, 1 to 5. */
      nth?: number | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: AreaFacts;
        results: Array<CoverageRow>;
        basket: Basket | null;
      };
    };
  };
  /** People of a county by minutes to the nearest POI of each type. The area is all blocks of the county. For each type, mode and weight: the sum over the blocks of the area that are within 5, 10, … 30 minutes of the `nth` nearest POI (cumulative), beyond, and `no_data`, where the mode could not be routed from the block. `total` is always `within["30"]` + `beyond` + `no_data`. Ordered by type id, mode id, then weight as sent. With `by`, groups such as `hispanic` or `workers_low_wage` have rows after that of `weight`, and all rows the `share` within the minutes, its `ratio` to that of `weight`, and the `gini` of the minutes (twice the area between their Lorenz curve and the diagonal). One token a row, at least 10. */
  getCountyCoverage: {
    params: Pick<SharedParams, 'fips' | 'mode' | 'departure' | 'percentile' | 'type' | 'names'> & {
      /** Columns of counts by block to sum; repeat the parameter for several. `/v1/meta/weights` lists them. Omitted: `people`. */
      weight?: ReadonlyArray<string> | undefined;
      /** Weights that are groups, to be compared with `weight`; repeat the parameter for several. Each has rows of its own, and all rows have `share`, `ratio` and `gini`. */
      by?: ReadonlyArray<string> | undefined;
      /** States `share`, `ratio` and `gini` also for groups of fewer than 100, for which they are null otherwise: the noise of the sources is a large part of so few (`/v1/meta/weights`). */
      small?: boolean | undefined;
      /** Minutes are to the n-th nearest POI of each type, 1 to 5. */
      nth?: number | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: AreaFacts;
        results: Array<CoverageRow>;
        basket: Basket | null;
      };
    };
  };
  /** People of any area by minutes to the nearest POIs, and who has all of a basket. For each type, mode and weight: the sum over the blocks of the area that are within 5, 10, … 30 minutes of the `nth` nearest POI (cumulative), beyond, and `no_data`, where the mode could not be routed from the block. `total` is always `within["30"]` + `beyond` + `no_data`. Ordered by type id, mode id, then weight as sent. With `by`, groups such as `hispanic` or `workers_low_wage` have rows after that of `weight`, and all rows the `share` within the minutes, its `ratio` to that of `weight`, and the `gini` of the minutes (twice the area between their Lorenz curve and the diagonal). One token a row, at least 10. With `all_of`, a basket of up to 8 criteria, `basket` says how much of the first weight is at blocks that meet all of them, by the number met (`met[i]`: exactly `i`), and at those that miss only one (`missing_only[j]`: criterion `j`). A block counts in `no_data` if a criterion is not known and none fails. A parent type is met by any of its leaves. 10 tokens a basket, beside those of the rows. */
  measureCoverage: {
    params: Pick<SharedParams, 'area' | 'departure' | 'percentile' | 'weight' | 'names'> & {
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** Weights that are groups, to be compared with `weight`. Each has rows of its own, and all rows have `share`, `ratio` and `gini`. */
      by?: ReadonlyArray<string> | undefined;
      /** States `share`, `ratio` and `gini` also for groups of fewer than 100, for which they are null otherwise: the noise of the sources is a large part of so few (`/v1/meta/weights`). */
      small?: boolean | undefined;
      /** Minutes are to the n-th nearest POI of each type, 1 to 5. */
      nth?: number | undefined;
      /** Up to 8 criteria, all to be met: the n-th nearest POI of a type is within some minutes by a mode. A parent type is met by any of its leaves. */
      all_of?: ReadonlyArray<{
        type: number;
        mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
        max_minutes: number;
        nth?: number | undefined;
      }> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: AreaFacts;
        results: Array<CoverageRow>;
        basket: Basket | null;
      };
    };
  };
  /** Blocks of an area that meet all of several criteria. Returns the blocks that meet every criterion of `all_of` and are `near` every point, ordered by GEOID. A block of which a criterion is not known does not match. Paginated. One token per row, at least one per page. */
  matchBlocks: {
    params: Pick<SharedParams, 'area' | 'departure' | 'percentile' | 'limit'> & {
      /** Up to 8 criteria, all to be met: the n-th nearest POI of a type is within some minutes by a mode. A parent type is met by any of its leaves. */
      all_of: ReadonlyArray<{
        type: number;
        mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
        max_minutes: number;
        nth?: number | undefined;
      }>;
      /** Up to 4 points, all to be near: from the block to the block of the point (`direction` `to`, the default) or back (`from`) it takes at most so many whole minutes. */
      near?: ReadonlyArray<{
        lon: number;
        lat: number;
        mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
        direction?: 'from' | 'to' | undefined;
        max_minutes: number;
      }> | undefined;
      /** `next_cursor` of the previous page, with the same other members. Null: the first page. */
      cursor?: string | null | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<MatchedBlock>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
    };
  };
  /** People by minutes to the nearest of your own sites, and what more sites would add. `results`: sums of each weight over the blocks of the area, by minutes to the nearest of the `sites`. `sites`: what is within reach of each, and `overlap`, the part of it that another site covers too. `gains`: what each candidate would add to the sites. `chosen`: up to `choose` candidates, each time the one that adds the most within the first of `minutes`, until none adds any. `uncovered`: up to `uncovered` blocks without a site within the last of `minutes`, those with the most of the first weight first. `sites`, `gains`, `chosen` and `uncovered` are of the first weight. Without `area`: all blocks of the release that any site or candidate reaches within the last of `minutes`. `area` of the response says what was counted. Times are those between the blocks of the points, in whole minutes (`precision`: `block`); for exact times build with the sites as POIs. In CSV, NDJSON and GeoJSON, `sites`, `gains` (`list`: `candidates`) and `uncovered` are rows with their coordinates, and `chosen` columns of them; the first rows of CSV are `results` (`list`: `area`). `sites` may be the POIs of a `type`, whose ids are their `dest_id`s: those in an `area` of their own, or else all of the release that are within the last of `minutes` of any block of the `area`, in it or outside; `sites_from` of the response says which. `candidates` may be an area, of which each block is one, by its GEOID. A site may have an `address` in place of coordinates; `match` is what `GET /v1/addresses` found and what was taken. A site or candidate without a block to route from, without valid coordinates, or with an address that is not certain, is listed in `errors`, and its row says why in `error`; if all are malformed or have lat and lon exchanged, the request is refused. Nothing that you send is stored. One token a site or candidate that has a block to route from, at least 10. */
  measureSites: {
    params: Pick<SharedParams, 'area' | 'departure' | 'percentile' | 'weight'> & {
      /** Sites that are there. */
      sites: Sites;
      /** Sites that might be added. */
      candidates?: Candidates | undefined;
      /** How many candidates to choose, at most 50. */
      choose?: number | undefined;
      /** How many blocks that no site covers to list, at most 1000. */
      uncovered?: number | undefined;
      mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
      /** Towards the point, or away from it. */
      direction?: 'from' | 'to' | undefined;
      /** Minutes to sum within, up to 12, ascending. */
      minutes?: ReadonlyArray<number> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: SitesArea;
        sites_from?: SitesFrom;
        results: Array<SiteCoverageRow>;
        sites: Array<{
          /** As sent. */
          id: string | number;
          block: string;
          /** Sums by minutes, cumulative. */
          within: {
            [member: string]: number;
          };
          /** The part of `within` that another site covers too. */
          overlap: {
            [member: string]: number;
          };
          match?: AddressMatch;
        }>;
        gains: Array<{
          /** As sent. */
          id: string | number;
          block: string;
          /** Sums by minutes, cumulative. */
          gain: {
            [member: string]: number;
          };
          match?: AddressMatch;
        }>;
        chosen: Array<{
          /** As sent. */
          id: string | number;
          gain: number;
          total_within: number;
        }>;
        uncovered: Array<{
          block: string;
          lon: number;
          lat: number;
          count: number;
        }>;
        errors: Array<{
          /** As sent. */
          id: string | number;
          /** The list that it is from. */
          list: 'sites' | 'candidates';
          type: 'point-not-covered' | 'address-not-found' | 'block-not-found' | 'no-block-data';
          detail: string;
        }>;
        precision: 'block';
      };
      'application/geo+json': {
        type: 'FeatureCollection';
        features: Array<{
          type: 'Feature';
          geometry: {
            type: 'Point';
            coordinates: Array<number>;
          } | null;
          properties: {
            list: 'area' | 'sites' | 'candidates' | 'uncovered';
            /** As sent. */
            id?: string | number;
            lon?: number | null;
            lat?: number | null;
            block?: string;
            match?: AddressMatch;
            mode?: Mode;
            weight?: string;
            total?: number;
            /** Sums by minutes, cumulative. */
            within?: {
              [member: string]: number;
            };
            beyond?: number;
            /** Where the mode could not be routed from the block. */
            no_data?: number;
            /** The part of `within` that another site covers too. */
            overlap?: {
              [member: string]: number;
            };
            /** Sums by minutes, cumulative. */
            gain?: {
              [member: string]: number;
            };
            chosen?: {
              rank: number;
              gain: number;
              total_within: number;
            };
            count?: number;
            error?: {
              type: 'point-not-covered' | 'address-not-found' | 'block-not-found' | 'no-block-data';
              detail: string;
            };
          };
        }>;
        [member: string]: unknown;
      };
    };
  };
  /** Capacity of your sites per 1,000 people at each block, given all who compete for it. Two-step floating catchment areas (2SFCA; Luo and Wang, 2003). The `ratio` of a site is its `capacity` per 1000 of its `demand`: the weight of all blocks of the release within `minutes`, in the area or not. The `supply` of a block is the sum of the ratios of the sites within `minutes` of it. With a `decay`, both sums are weighted by time (E2SFCA; Luo and Qi, 2009). `formula` states what was computed. Sites without a capacity, and the POIs of a type, count as 1 each; `capacity_assumed` says how many. A site without demand has the ratio null, and supplies nothing. `results`: a row per block of the area, or per tract, place or county of its blocks, averaged by the weight; without `area`, per block that any site reaches. A block that the mode could not be routed from has no row, and counts in no average: rows of averages state the weight of all their blocks (`total`), and of those left out (`no_data`). In CSV, NDJSON and Parquet, sites (`list`: `sites`) come before the rows. One token a site that has a block to route from, at least 10, and one a row. */
  measureSupply: {
    params: Pick<SharedParams, 'area' | 'by' | 'departure' | 'percentile' | 'decay' | 'small'> & {
      /** Sites with what each can serve. */
      sites: SupplySites;
      mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
      /** Towards the site, or away from it. */
      direction?: 'from' | 'to' | undefined;
      /** The demand, by block; `/v1/meta/weights` lists weights. Omitted: `people`. */
      weight?: string | undefined;
      /** Size of the catchments. Omitted: 30, or 60 with a `decay`. */
      minutes?: number | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: AreaFacts;
        sites_from?: SitesFrom;
        /** The definitions of what was computed, and how many sites have no capacity. */
        formula: {
          method: string;
          ratio: string;
          supply: string;
          f: string;
          per: number;
          minutes: number;
          decay: string;
          /** The window of times by transit, where the release has a choice. */
          departure?: string;
          percentile?: number;
          capacity_assumed: number;
        };
        errors: Array<{
          /** As sent. */
          id: string | number;
          /** The list that it is from. */
          list: 'sites' | 'candidates';
          type: 'point-not-covered' | 'address-not-found' | 'block-not-found' | 'no-block-data';
          detail: string;
        }>;
        precision: 'block';
        sites: Array<{
          /** As sent. */
          id: string | number;
          block: string;
          match?: AddressMatch;
          capacity: number;
          demand: number;
          ratio: number | null;
        }>;
        results: Array<SupplyRow>;
      };
    };
  };
  /** Summaries of many blocks. `GET /v1/blocks/{geoid}/summary` for many blocks. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. One token per row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. */
  getBlockSummaries: {
    params: Pick<SharedParams, 'departure' | 'percentile' | 'count_within' | 'names' | 'max_rows'> & {
      /** Blocks, 1 to 250. A malformed or unknown one fails alone and is listed in `errors`. */
      origins: ReadonlyArray<string>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** Minutes to the n-th nearest POI of each type, 1 to 5. Each row then has `nth`. Omitted: the nearest. */
      nth?: ReadonlyArray<number> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<{
          dest_type_id: number;
          /** With `names`: the label of the type. */
          dest_type?: string;
          mode: Mode;
          /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
          travel_time: number;
          /** With `nth`: the time is to the n-th nearest POI of the type. */
          nth?: number;
          /** With `count_within`: the number of POIs of the type within so many minutes. */
          count?: number;
          geoid: string;
        }>;
        blocks: Array<BlockMetadata>;
        truncated: Array<string>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
    };
  };
  /** POIs within reach of many blocks. All rows of `GET /v1/blocks/{geoid}/pois` for many blocks. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. One token per row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. */
  listBlocksPois: {
    params: Pick<SharedParams, 'departure' | 'percentile' | 'max_minutes' | 'names' | 'max_rows'> & {
      /** Blocks, 1 to 250. A malformed or unknown one fails alone and is listed in `errors`. */
      origins: ReadonlyArray<string>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** Only these POIs. */
      dest_id?: ReadonlyArray<number> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<{
          dest_id: number;
          /** With `names`: the labels of the types of the POI. */
          dest_types?: Array<string>;
          mode: Mode;
          /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
          travel_time: number;
          name: string;
          lon: number;
          lat: number;
          address: Address;
          geoid: string;
        }>;
        truncated: Array<string>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
      'application/geo+json': RowsAsGeoJson<{
        dest_id: number;
        /** With `names`: the labels of the types of the POI. */
        dest_types?: Array<string>;
        mode: Mode;
        /** Minutes, one decimal. POIs more than 30 minutes away have no row. */
        travel_time: number;
        name: string;
        lon: number;
        lat: number;
        address: Address;
        geoid: string;
      }>;
    };
  };
  /** How many people, jobs or POIs are within reach of a block. Cumulative opportunities by minutes, or one sum that decays with time. `of` is a weight of the blocks, such as `people` or `jobs`, or `type:ID` for POIs. Blocks of this release count by whole minutes up to 60, the origin itself included; POIs by tenths of a minute up to 30. Ordered by `of`, mode id, minutes. A mode that could not be routed from the block has no rows and is listed in `unrouted`. One token per row, at least one. */
  getBlockAccess: {
    params: Pick<SharedParams, 'mode' | 'departure' | 'percentile' | 'direction' | 'of' | 'minutes' | 'curve' | 'decay'> & {
      /** Census block GEOID, 15 digits including leading zeros. */
      geoid: string;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        block: BlockMetadata;
        results: Array<OpportunityCount>;
        /** Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** How many people, jobs or POIs are within reach of the block of a point. The point is resolved to the census block that contains it. `of` is a weight of the blocks, such as `people` or `jobs`, or `type:ID` for POIs. Blocks of this release count by whole minutes up to 60, the origin itself included; POIs by tenths of a minute up to 30. Ordered by `of`, mode id, minutes. A mode that could not be routed from the block has no rows and is listed in `unrouted`. One token per row, at least one. */
  getPointAccess: {
    params: Pick<SharedParams, 'lat' | 'lon' | 'mode' | 'departure' | 'percentile' | 'direction' | 'of' | 'minutes' | 'curve' | 'decay'>;
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        resolved_block: string;
        block: BlockMetadata;
        results: Array<OpportunityCount>;
        /** Modes that could not be routed from the block; for these a missing row means unknown. Absent if all could be routed. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
    };
  };
  /** How many people, jobs or POIs are within reach of many blocks or points, or of an area. `GET /v1/blocks/{geoid}/access` or `/v1/point/access` for many `origins`: all GEOIDs, or all points. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. One token per row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. With `area`, `GET /v1/counties/{fips}/access` for any area. Rows by block, `of`, mode and minutes; with `by`, by tract, place or county, of the blocks in the area, each averaged by `weight`. Blocks of this release count by whole minutes, POIs by tenths of a minute up to 30. A block that a mode could not be routed from has no rows unless `include_missing` is set, and counts in no average; rows of averages state the weight of all their blocks (`total`), and of those left out (`no_data`). Blocks outside all places are in no row by place. Paginated. One token per row, of averages too, at least one per page. No GeoJSON, as outlines would end pages early; rows join by `geoid` with the outlines of exports. */
  getAccess: {
    params: Pick<SharedParams, 'area' | 'departure' | 'percentile' | 'direction' | 'of' | 'minutes' | 'by' | 'small' | 'include_missing' | 'limit' | 'curve' | 'decay' | 'max_rows'> & {
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** With `by`: the weight by which blocks count in the average. Omitted: `people`. */
      weight?: string | undefined;
      /** `next_cursor` of the previous page, with the same other members. Null: the first page. */
      cursor?: string | null | undefined;
      /** Blocks by GEOID, or points and addresses; 1 to 250. A malformed or unknown one fails alone and is listed in `errors`. */
      origins?: ReadonlyArray<string | {
        lat: number;
        lon: number;
      } | {
        /** An address, intersection or GEOID in place of coordinates, found as `GET /v1/addresses` does: taken from a confidence of 0.8 on, else an error. */
        address: string;
      }> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area?: AreaFacts;
        results: Array<{
          /** A weight, or `type:ID`. */
          of: string;
          mode: Mode;
          /** Absent with a `decay` other than `step`. */
          minutes?: number;
          /** How many are within reach; with a decay, their sum. */
          count: number;
          geoid?: string;
          origin_lat?: number;
          origin_lon?: number;
          match?: AddressMatch;
        }>;
        truncated?: Array<string | {
          origin_lat: number;
          origin_lon: number;
        } | {
          address: string;
        }>;
        errors?: Array<OriginError>;
        truncated_reason?: TruncatedReason;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor?: string | null;
      };
    };
  };
  /** How many people, jobs or POIs are within reach of each block of a city or town. The area is the blocks whose centre is in the place. Rows by block, `of`, mode and minutes; with `by`, by tract, place or county, of the blocks in the area, each averaged by `weight`. Blocks of this release count by whole minutes, POIs by tenths of a minute up to 30. A block that a mode could not be routed from has no rows unless `include_missing` is set, and counts in no average; rows of averages state the weight of all their blocks (`total`), and of those left out (`no_data`). Blocks outside all places are in no row by place. Paginated. One token per row, of averages too, at least one per page. No GeoJSON, as outlines would end pages early; rows join by `geoid` with the outlines of exports. */
  getPlaceAccess: {
    params: Pick<SharedParams, 'geoid' | 'mode' | 'departure' | 'percentile' | 'direction' | 'by' | 'small' | 'include_missing' | 'limit' | 'cursor'> & {
      /** Weights of the release with `area_access` in `/v1/meta/weights`, or `type:ID` (or a label) for the number of POIs of one of its `area_access_types`; repeat the parameter for several. Omitted: `people`. */
      of?: ReadonlyArray<string> | undefined;
      /** Some of 15, 30, 45, 60, ascending; up to 30 for `type:`. Omitted: all. */
      minutes?: ReadonlyArray<number> | undefined;
      /** With `by`: the weight by which blocks count in the average. Omitted: `people`. */
      weight?: string | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: AreaFacts;
        results: Array<AreaOpportunityCount>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
    };
  };
  /** How many people, jobs or POIs are within reach of each block of a county. The area is all blocks of the county. Rows by block, `of`, mode and minutes; with `by`, by tract, place or county, of the blocks in the area, each averaged by `weight`. Blocks of this release count by whole minutes, POIs by tenths of a minute up to 30. A block that a mode could not be routed from has no rows unless `include_missing` is set, and counts in no average; rows of averages state the weight of all their blocks (`total`), and of those left out (`no_data`). Blocks outside all places are in no row by place. Paginated. One token per row, of averages too, at least one per page. No GeoJSON, as outlines would end pages early; rows join by `geoid` with the outlines of exports. */
  getCountyAccess: {
    params: Pick<SharedParams, 'fips' | 'mode' | 'departure' | 'percentile' | 'direction' | 'by' | 'small' | 'include_missing' | 'limit' | 'cursor'> & {
      /** Weights of the release with `area_access` in `/v1/meta/weights`, or `type:ID` (or a label) for the number of POIs of one of its `area_access_types`; repeat the parameter for several. Omitted: `people`. */
      of?: ReadonlyArray<string> | undefined;
      /** Some of 15, 30, 45, 60, ascending; up to 30 for `type:`. Omitted: all. */
      minutes?: ReadonlyArray<number> | undefined;
      /** With `by`: the weight by which blocks count in the average. Omitted: `people`. */
      weight?: string | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        area: AreaFacts;
        results: Array<AreaOpportunityCount>;
        /** Pass it as `cursor` to get the next page; null on the last page. */
        next_cursor: string | null;
      };
    };
  };
  /** Gains and losses of people between two releases. Compares minutes to the nearest POI of each `type`, or with `of` how many people, jobs or POIs are within `minutes` of a block: the sums of `weight` over the blocks of the area. `gained` and `lost`: where times are shorter and longer by at least 1, 2, 5 and 10 minutes, or counts higher and lower by at least so many percent of the count before (any rise from 0 is all). A time beyond 30 minutes counts as 30, so that no gain or loss is overstated. `unchanged`: by less than 1. `no_data`: where the mode could not be routed from the block in one release, or only one has the block. `total` is `gained["1"]` + `lost["1"]` + `unchanged` + `no_data`. Weights and areas of a block are those of `to`, or of `from` if only that has it. Means of groups of fewer than 100 are null unless `small`. `noise`: by weight, as `/v1/meta/weights` has it. No GeoJSON, as rows are sums over areas. `/v1/meta/releases` lists the releases; the example compares one with itself. 10 tokens an area, and one a row. */
  measureChanges: {
    params: Pick<SharedParams, 'departure' | 'percentile' | 'weight' | 'area'> & {
      /** The earlier release: label, version as in `X-Data-Release`, or name of the manifest. */
      from: string;
      /** The later one. */
      to: string;
      /** Destination types by id, or by label (`grocery_stores`). A parent stands for all its leaves. Omitted: all types. */
      type?: ReadonlyArray<number> | undefined;
      /** In place of `type`: what both releases count within reach of every block, weights such as `jobs`, or `type:ID` (or a label) for the number of POIs. */
      of?: ReadonlyArray<string> | undefined;
      /** Some of 15, 30, 45, 60, ascending; up to 30 for `type:`. Omitted: all. */
      minutes?: ReadonlyArray<number> | undefined;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** One of tract, place, county, for rows per area; and weights that are groups, with rows after those of `weight`. */
      by?: ReadonlyArray<string> | undefined;
      /** States means also for groups of fewer than 100. */
      small?: boolean | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        from: string;
        to: string;
        /** The window of times by transit, where the release has a choice. */
        departure?: string;
        percentile?: number;
        area: AreaFacts;
        results: Array<ChangeRow>;
        noise: {
          [member: string]: Noise | null;
        };
      };
    };
  };
  /** Catchments of many POIs. All rows of `GET /v1/pois/{dest_id}/catchment` for many POIs. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. One token per row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. */
  listPoisCatchments: {
    params: Pick<SharedParams, 'max_minutes' | 'departure' | 'percentile' | 'names' | 'max_rows'> & {
      /** POIs, 1 to 250. A malformed or unknown one fails alone and is listed in `errors`. */
      dest_ids: ReadonlyArray<number>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free'> | undefined;
      /** Only these blocks, by GEOID, as text or numbers. */
      block?: ReadonlyArray<string> | undefined;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<CatchmentRow>;
        truncated: Array<number>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
    };
  };
  /** The legs of many trips. `GET /v1/blocks/{geoid}/explain` for many `trips`, each with its own ends, mode and departure. Trips from one block share the search of the timetable; of equally fast journeys, the legs may be those of another than GET finds. With `spread` trips may begin at up to 10 blocks. In CSV and Parquet a row is a leg (`leg`: its number), beside the facts of its trip; a trip beyond reach has one row. A trip of which an end could not be routed by the mode is an error, `no-block-data`. A trip is an origin. Send 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are listed in `errors`; the others still return rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are listed in `truncated`, always whole; the first is always answered. 5 tokens per trip, which counts as one row; an origin listed twice is charged twice, one that cannot be resolved not at all. A batch in which none can be resolved is free; one of origins without rows costs the minimum, one token. */
  explainTrips: {
    params: Pick<SharedParams, 'spread' | 'departure' | 'percentile' | 'max_rows'> & {
      /** Trips, 1 to 250. A malformed or unknown one fails alone and is listed in `errors`. */
      trips: ReadonlyArray<{
        /** Block where the trip begins, by GEOID. */
        from: string;
        /** Block where the trip ends; or send `dest_id`. */
        to?: string | undefined;
        /** POI where the trip ends; or send `to`. */
        dest_id?: number | undefined;
        /** Travel mode. Omitted: transit, or walk in a release without transit. */
        mode?: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free' | undefined;
        /** Explains the fastest trip by transit that leaves at this local time, such as `08:15`, instead of the stored time. Trips by other modes are the same at all hours, with or without it. */
        departs?: string | undefined;
      }>;
    };
    responses: Pick<SharedResponses, 'text/csv' | 'application/x-ndjson' | 'application/vnd.apache.parquet'> & {
      'application/json': {
        results: Array<ExplainedTrip>;
        truncated: Array<{
          from: string;
          to?: string;
          dest_id?: number;
          mode?: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
          departs?: string;
        }>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
    };
  };
  /** Isochrone metadata: version, modes, directions, assumptions. The basis of the isochrones of the current release. `version` is the value to pin with `v`. */
  getIsochroneMeta: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        version: string;
        directions: Array<'from' | 'to'>;
        modes: Array<Mode>;
        max_minutes: number;
        dest_set?: string;
        assumptions: Assumptions;
      };
    };
  };
  /** Isochrone from or to a block. Contours of up to 60 minutes around a block (`block`) or the block of a point (`lon`, `lat`), by one mode. Send `minutes`, or up to four ascending `contours`. Contours are dissolved from the reachable blocks, with small holes filled. 10 tokens per contour; free for members. */
  getIsochrone: {
    params: Pick<SharedParams, 'departure' | 'percentile'> & {
      /** Census block GEOID, 15 digits including leading zeros. */
      block?: string | undefined;
      /** Longitude, WGS84 degrees. */
      lon?: number | undefined;
      /** Latitude, WGS84 degrees. */
      lat?: number | undefined;
      /** One contour, 1 to 60 minutes. */
      minutes?: number | undefined;
      /** Up to four contours in minutes, ascending: `10,20,30`, or the parameter repeated. */
      contours?: ReadonlyArray<number> | undefined;
      /** Travel mode. */
      mode?: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free' | undefined;
      /** Away from the origin, or towards it. */
      direction?: 'from' | 'to' | undefined;
      /** Weights of the release, or `type:ID` (or a label), to count within each contour; see `/v1/meta/weights`. Omitted: none. */
      of?: ReadonlyArray<string> | undefined;
      /** Contours, or the blocks themselves. */
      format?: 'geojson' | 'blocks' | undefined;
      /** Store version to pin; if another is current, the response is `no-isochrone-data`. */
      v?: string | undefined;
    };
    responses: {
      'application/json': Isochrone | IsochroneBlocks;
      'application/geo+json': Isochrone;
    };
  };
  /** Tables of the release as files. The tables that were exported from the current release, a file a county, with their sizes and prices, ordered by table, county and format. `POST /v1/exports/links` returns a link to one. Empty where the operator exported none. Paginated where there are more than `limit`. */
  getExports: {
    params: Pick<SharedParams, 'cursor'> & {
      /** Only these tables; repeat the parameter for several. */
      table?: ReadonlyArray<'nearest' | 'nearest_wide' | 'pois' | 'reach' | 'access' | 'poi_catalogue' | 'blocks' | 'weights' | 'places' | 'types'> | undefined;
      /** Only tables of these counties; repeat the parameter for several. */
      county?: ReadonlyArray<string> | undefined;
      /** Only these formats; repeat the parameter for several. */
      format?: ReadonlyArray<'parquet' | 'csv' | 'geojson' | 'gpkg-ready'> | undefined;
      /** Files per page, 1 to 1000; omitted: 1000. */
      limit?: number | undefined;
    };
    responses: {
      'application/json': {
        release: string;
        exports: Array<{
          table: string;
          /** Null for a table that is not by county. */
          county: string | null;
          format: 'parquet' | 'csv' | 'geojson' | 'gpkg-ready';
          bytes: number;
          rows: number;
          sha256: string;
          price_tokens: number;
        }>;
        /** Absent from a response that is the whole list, unless `limit` or `cursor` was sent; null on the last page. */
        next_cursor?: string | null;
      };
    };
  };
  /** A link to a table. Creates a link to one of the tables that `GET /v1/exports` lists. It works without a key for an hour, for GET with or without `Range`, so that DuckDB, Python and others read what they need of the file; links to this service accept HEAD as well. Its price is `price_tokens`. Repeated with its `Idempotency-Key`, the request is charged once and returns a link to the same file for another hour, also once another release is in force. */
  createExportLink: {
    params: {
      /** As listed. */
      table: string;
      /** As listed; null or absent for a table that is not by county. */
      county?: string | null | undefined;
      format?: 'parquet' | 'csv' | 'geojson' | 'gpkg-ready' | undefined;
    };
    responses: {
      'application/json': {
        url: string;
        expires_at: string;
        sha256: string;
        bytes: number;
      };
    };
  };
  /** The tile archives of the release, readable by range. PMTiles 3 archives to read by byte range, free and without a key: `blocks`, `basemap` (water, roads, boundaries and names, in the schema of Protomaps’ basemap version 4), `lines` (those of transit, with names and colors of routes), the bands of each mode and leaf destination type, and the `pois` of each leaf type. The content behind a URL never changes; another release has other URLs. Empty for a release that was built without tiles. */
  getTileArchives: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        release: string;
        /** West, south, east and north edge of its blocks in degrees, water included. */
        bounds: Array<number>;
        /** The same for its POIs, as a first view of a map. Null if there are none. */
        poi_bounds: Array<number> | null;
        archives: Array<{
          layer: 'blocks' | 'basemap' | 'lines' | 'bands' | 'pois';
          mode: Mode | null;
          /** The window of bands by transit, of those besides `am` at percentile 10. */
          departure?: string;
          percentile?: number;
          dest_type_id: number | null;
          url: string;
          bytes: number;
        }>;
      };
    };
  };
  /** The block bands of counties, readable by range. For each county in the box, a public object with the band of five minutes of each of its blocks, by mode and leaf destination type: what the tiles of bands show, by block, with GEOIDs, centres and population. It is read by byte range, free and without a key: a head, and a column for each mode and type. `access` is a second object, with a class of how many people or jobs are within reach of each block, by weight, direction, mode and minutes. At most 100 counties, by county code. Empty for a release that was built without tiles. */
  getBlockBands: {
    params: Pick<SharedParams, 'bbox'> & {
      /** Another release of the store, to compare its bands with, as `/v1/meta/releases` lists it under `version`. Omitted: the current one. */
      release?: string | undefined;
    };
    responses: {
      'application/json': {
        release: string;
        /** Counties whose blocks are in the box; `counties` lists the first 100. */
        counties_found: number;
        counties: Array<{
          county: string;
          /** Name of the county with its state; null if the release was built without names. */
          name: string | null;
          /** West, south, east and north edge of its blocks in degrees. */
          bounds: Array<number>;
          blocks: number;
          population: number;
          url: string;
          bytes: number;
          /** The classes of what is within reach of its blocks, in the same order; null if the release counts nothing. */
          access: {
            url: string;
            bytes: number;
          } | null;
        }>;
      };
    };
  };
  /** TileJSON of the travel-time bands for a mode and destination type. TileJSON 3. The layer `bands` has polygons whose `minutes` are 5, 10 … 30: the nearest POI of the type is within that many minutes, but not within those of the previous band. */
  getTileJson: {
    params: Pick<SharedParams, 'dest_type_id' | 'departure' | 'percentile'> & {
      /** Travel mode. */
      mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
    };
    responses: {
      'application/json': {
        tilejson: '3.0.0';
        tiles: Array<string>;
        [member: string]: unknown;
      };
    };
  };
  /** Vector tile of travel-time bands. Bands of minutes to the nearest POI of a type by one mode, as a Mapbox vector tile. 1 token; free for members. An empty tile is a 204, and free. */
  getTile: {
    params: Pick<SharedParams, 'dest_type_id' | 'departure' | 'percentile'> & {
      /** Travel mode. */
      mode: 'walk' | 'bike' | 'transit' | 'walk_slow' | 'step_free' | 'transit_step_free';
      z: number;
      x: number;
      y: number;
    };
    responses: {
      'application/vnd.mapbox-vector-tile': Uint8Array;
    };
  };
}

export const OPERATIONS: Record<
  keyof Operations,
  readonly [
    /** Without a key, with one, or with one by POST. */
    access: 'free' | 'keyed' | 'posted',
    path: string,
    /** The list that a batch is cut along, and its length. */
    list?: string,
    size?: number,
  ]
> = {
  getHealth: ['free','/v1/health'],
  getReady: ['free','/v1/ready'],
  getLastUpdated: ['free','/v1/last-updated'],
  getModes: ['free','/v1/meta/modes'],
  getDestinationTypes: ['free','/v1/meta/destination-types'],
  getWeights: ['free','/v1/meta/weights'],
  getVintage: ['free','/v1/meta/vintage'],
  getPlans: ['free','/v1/plans'],
  getReleases: ['free','/v1/meta/releases'],
  findPlaces: ['free','/v1/places'],
  getPlaceBoundary: ['free','/v1/places/{geoid}/boundary'],
  findAddresses: ['free','/v1/addresses'],
  getTokens: ['keyed','/v1/tokens'],
  getBlockSummary: ['keyed','/v1/blocks/{geoid}/summary'],
  listBlockPois: ['keyed','/v1/blocks/{geoid}/pois'],
  explainTrip: ['keyed','/v1/blocks/{geoid}/explain'],
  getPointSummary: ['keyed','/v1/point/summary'],
  getPointSummaries: ['posted','/v1/point/summary','origins',250],
  listPointPois: ['keyed','/v1/point/pois'],
  listPointsPois: ['posted','/v1/point/pois','origins',250],
  searchPois: ['keyed','/v1/pois'],
  getPoi: ['keyed','/v1/pois/{dest_id}'],
  listPoiCatchment: ['keyed','/v1/pois/{dest_id}/catchment'],
  listPlaceBlocks: ['keyed','/v1/places/{geoid}/blocks'],
  listPlacePois: ['keyed','/v1/places/{geoid}/pois'],
  queryBlocks: ['posted','/v1/blocks/query'],
  getPlaceCoverage: ['keyed','/v1/places/{geoid}/coverage'],
  getCountyCoverage: ['keyed','/v1/counties/{fips}/coverage'],
  measureCoverage: ['posted','/v1/coverage'],
  matchBlocks: ['posted','/v1/blocks/match'],
  measureSites: ['posted','/v1/sites/coverage'],
  measureSupply: ['posted','/v1/sites/supply'],
  getBlockSummaries: ['posted','/v1/blocks/summary','origins',250],
  listBlocksPois: ['posted','/v1/blocks/pois','origins',250],
  getBlockAccess: ['keyed','/v1/blocks/{geoid}/access'],
  getPointAccess: ['keyed','/v1/point/access'],
  getAccess: ['posted','/v1/access','origins',250],
  getPlaceAccess: ['keyed','/v1/places/{geoid}/access'],
  getCountyAccess: ['keyed','/v1/counties/{fips}/access'],
  measureChanges: ['posted','/v1/changes'],
  listPoisCatchments: ['posted','/v1/pois/catchment','dest_ids',250],
  explainTrips: ['posted','/v1/explain','trips',250],
  getIsochroneMeta: ['free','/v1/isochrone/meta'],
  getIsochrone: ['keyed','/v1/isochrone'],
  getExports: ['free','/v1/exports'],
  createExportLink: ['posted','/v1/exports/links'],
  getTileArchives: ['free','/v1/meta/tiles'],
  getBlockBands: ['free','/v1/meta/block-bands'],
  getTileJson: ['free','/v1/isochrone/tiles/{mode}/{dest_type_id}.json'],
  getTile: ['keyed','/v1/isochrone/tiles/{mode}/{dest_type_id}/{z}/{x}/{y}.mvt'],
};
