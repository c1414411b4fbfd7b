// Generated from the OpenAPI document by emit-types.ts: do not edit.

/** Rows that the batch is to give, and to cost, at most; by default 50000. Whole origins are given, and the first whatever it has; the others are in `truncated`, with `row-budget`. */
export type MaxRows = number;

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
  /** How many more faults there are than `errors` lists. */
  errors_omitted?: number;
  /** Of `tokens-exhausted`: the balance. What the answer would have cost is not told. */
  tokens_remaining?: number;
  /** Of `missing-key`, `invalid-key` and `tokens-exhausted`: where keys are made and tokens bought, if that is set. */
  account_url?: string;
  /** Of `not-acceptable`: the media types that the route has. */
  formats?: Array<string>;
  [member: string]: unknown;
};

/** Travel mode. */
export type Mode = 'walk' | 'bike' | 'transit';

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

/** Minutes to the nearest place of a type, by a mode. */
export type CategoryTime = {
  dest_type_id: number;
  mode: Mode;
  /** Minutes, one decimal. Over 30 is not reached: there is no row. */
  travel_time: number;
};

export type UnroutedReason = 'no-street-near' | 'outside-street-data' | 'not-on-mode-network';

/** The rows. CSV has a header line; members of nested objects are joined by an underscore, and a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet runs it. Of what JSON says beside the rows, headers say where the next page begins, which block a point lies in and which modes could not be routed. Origins of a batch that gave no rows are counted in headers too; NDJSON lists them in a last line, with `errors`, `truncated` and `truncated_reason`, if there are any, and CSV in `X-Errors` and `X-Truncated`. */
export type RowsAsText = string;

/** Minutes to one place, by a mode. */
export type PoiTime = {
  dest_id: number;
  mode: Mode;
  /** Minutes, one decimal. Over 30 is not reached: there is no row. */
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

/** The rows as points of a GeoJSON FeatureCollection. That of a batch has `errors`, `truncated` and `truncated_reason` as members. */
export type RowsAsGeoJson = {
  type: 'FeatureCollection';
  features: Array<{
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
};

/** Why an origin of a batch has no rows. */
export type OriginError = {
  type: 'block-not-found' | 'no-block-data' | 'point-not-covered' | 'poi-not-found';
  detail: string;
  geoid?: string;
  origin_lat?: number;
  origin_lon?: number;
  dest_id?: number;
};

/** Why origins were left out; null if none were. */
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

/** Minutes from a block to one place, by a mode. */
export type CatchmentRow = {
  dest_id: number;
  geoid: string;
  mode: Mode;
  /** Minutes, one decimal. Over 30 is not reached: there is no row. */
  travel_time: number;
};

/** Minutes from a block of an area to the nearest. */
export type ArealBlockResult = {
  geoid: string;
  dest_type_id: number;
  mode_id: number;
  mode: Mode;
  /** Minutes, one decimal; null only in a row that `include_missing` asked for. */
  travel_time: number | null;
  /** Only where `travel_time` is null: too far, or a mode that could not be routed from the block. */
  reason?: 'not-within-30' | 'no-data';
  population?: number | null;
};

/** `format=geojson`: largest contour first. */
export type Isochrone = {
  type: 'FeatureCollection';
  version: string;
  direction: 'from' | 'to';
  mode: Mode;
  assumptions: {
    max_trip_duration_min?: number;
    max_reach_min?: number;
    walk_speed_kmh?: number;
    bike_speed_kmh?: number;
    bike_max_traffic_stress?: number;
    bike_beyond_traffic_stress?: string;
    bike_tracks?: string;
    bike_sidepath?: string;
    bike_barriers?: string;
    link_radius_m?: number;
    link_radius_fallback_m?: number;
    link_to?: string;
    min_island_vertices?: number;
    origin?: string;
    rounding?: string;
    direction_to?: string;
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
    fill_holes_below_m2?: number;
    [member: string]: unknown;
  };
  block: string;
  reachable_blocks: number;
  features: Array<{
    type: 'Feature';
    geometry: Geometry;
    properties: {
      contour: number;
      mode: Mode;
      reachable_blocks: number;
    };
  }>;
};

/** `format=blocks`: whole minutes, rounded up. */
export type IsochroneBlocks = {
  blocks: Array<{
    geoid: string;
    travel_min: number;
    /** With `contours`: the smallest that holds the block. */
    contour?: number;
  }>;
  version: string;
  direction: 'from' | 'to';
  mode: Mode;
  assumptions: {
    max_trip_duration_min?: number;
    max_reach_min?: number;
    walk_speed_kmh?: number;
    bike_speed_kmh?: number;
    bike_max_traffic_stress?: number;
    bike_beyond_traffic_stress?: string;
    bike_tracks?: string;
    bike_sidepath?: string;
    bike_barriers?: string;
    link_radius_m?: number;
    link_radius_fallback_m?: number;
    link_to?: string;
    min_island_vertices?: number;
    origin?: string;
    rounding?: string;
    direction_to?: string;
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
    fill_holes_below_m2?: number;
    [member: string]: unknown;
  };
  block: string;
  reachable_blocks: number;
};

/** Problem documents by slug. */
export interface Problems {
  /** Some parameters are not valid. Status 400. */
  'invalid-parameters': Problem;
  /** An API key stands in the URL. Status 400. */
  'key-in-url': Problem;
  /** Something went wrong here. Status 500. */
  'internal-error': Problem;
  /** The route has no format that is accepted. Status 406. */
  'not-acceptable': Problem & Required<Pick<Problem, 'formats'>>;
  /** Too many requests. Status 429. */
  'rate-limited': Problem;
  /** Too much is asked at once. Status 503. */
  'overloaded': Problem;
  /** Data cannot be reached. Status 503. */
  'store-unavailable': Problem;
  /** No such census place. Status 404. */
  'place-not-found': Problem;
  /** An API key is needed. Status 401. */
  'missing-key': Problem;
  /** The API key is not valid. Status 401. */
  'invalid-key': Problem;
  /** The account is disabled. Status 403. */
  'account-disabled': Problem;
  /** Accounts cannot be reached. Status 503. */
  'debit-unavailable': Problem;
  /** The cursor is not one of this query. Status 400. */
  'invalid-cursor': Problem;
  /** No such census block. Status 404. */
  'block-not-found': Problem;
  /** Not enough tokens. Status 429. */
  'tokens-exhausted': Problem & Required<Pick<Problem, 'tokens_remaining'>>;
  /** The point is outside all blocks of the release. Status 404. */
  'point-not-covered': Problem;
  /** Origins are needed. Status 400. */
  'missing-origins': Problem;
  /** Too many origins. Status 400. */
  'too-many-origins': Problem;
  /** The request did not arrive in time. Status 408. */
  'request-timeout': Problem;
  /** The Idempotency-Key was used for another request. Status 409. */
  'idempotency-conflict': Problem;
  /** The body is too large. Status 413. */
  'payload-too-large': Problem;
  /** The body is of a type not taken here. Status 415. */
  'unsupported-media-type': Problem;
  /** A location is needed. Status 400. */
  'missing-location': Problem;
  /** The bounding box is not valid. Status 400. */
  'invalid-bbox': Problem;
  /** No such point of interest. Status 404. */
  'poi-not-found': Problem;
  /** An area is needed. Status 400. */
  'missing-area': Problem;
  /** The geometry is not valid. Status 400. */
  'invalid-geometry': Problem;
  /** The polygon is too large or too detailed. Status 400. */
  'polygon-too-complex': Problem;
  /** There is no isochrone. Status 404. */
  'no-isochrone-data': Problem;
  /** The store lacks this direction. Status 404. */
  'direction-not-available': Problem;
}

/** Parameters, and responses by media type, of each operation. */
export interface Operations {
  /** Whether the process is alive. Touches no backend. */
  getHealth: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        status: 'ok';
        version: string;
      };
    };
  };
  /** Whether requests can be answered. Asks each backend. 503 when one of them does not answer within two seconds, until all processes have started, and while the service ends. `release` is `held` while the release in force is not the one that was promoted last, since that has not been opened yet or cannot be: requests are answered all the same. `processes` tells how many of those that share the port are serving; one that has ended is started again. */
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
        processes: {
          serving: number;
          wanted: number;
        };
      };
    };
  };
  /** When the newest data was published. When the release in force was first published, and what it is called. The same from every server, and again after a release of before was put back in force. */
  getLastUpdated: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        last_updated: string;
        release: string;
      };
    };
  };
  /** Travel modes and their ids. Those that the release in force holds. Labels are used on block, point and POI routes, ids on areal routes. */
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
  /** The taxonomy of destinations. Those that the release in force holds. Places are of leaf types. A parent stands for all the leaves below it. */
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
  /** The version of each data component. A version changes with everything that the component was made from: files, parameters, the way they were read. The date is the day its data speaks of. */
  getVintage: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        components: Array<{
          component: string;
          version: string;
          effective_date: string;
        }>;
        /** Counties with less than 80 % of their blocks near a street: their street data has a gap. */
        coverage_gaps: Array<{
          county: string;
          blocks: number;
          routable_blocks: number;
        }>;
      };
    };
  };
  /** The free grant, the membership, and token packs. What things cost, for programs. */
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
        };
        /** Where keys are made and tokens bought; null if that is not set. */
        account_url: string | null;
      };
    };
  };
  /** Census places by name. Best match first: the whole name, its beginning, the beginning of a word in it, any part; of equal matches the most populous. The letters of a state may follow the name: `Port Meridian, XA`. Case and accents do not matter. Places of the release only. */
  findPlaces: {
    params: {
      /** Part of the name; case and accents do not matter. */
      q: string;
      /** Places at most, 1 to 20. */
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
  /** The outline of a census place. A GeoJSON Feature, WGS84, lightly simplified for display. */
  getPlaceBoundary: {
    params: {
      /** Census place GEOID, 7 digits; leading zeros count. */
      geoid: string;
    };
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
  /** The token balance of the key’s account. Never charged, and answered at a zero balance too. */
  getTokens: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        tokens_remaining: number;
      };
    };
  };
  /** Minutes from a block to the nearest of each destination type. One row a destination type and mode within 30 minutes; no row means not within 30 minutes, unless the mode is in `unrouted`: then it is not known. Ordered by mode id, then type id. All rows at once; paginated if you send `limit` or `cursor`. One token a row, at least one. */
  getBlockSummary: {
    params: {
      /** Census block GEOID, 15 digits; leading zeros count. */
      geoid: string;
      /** Travel modes; repeat for several. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Rows a page, 1 to 1000. Without `limit` and `cursor`: all rows at once. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        block: BlockMetadata;
        results: Array<CategoryTime>;
        /** Only where `limit` or `cursor` was sent; null on the last page. */
        next_cursor?: string | null;
        /** Modes that could not be routed from the block: of them no row means not known. Absent where all could. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Minutes from a block to each single place within reach. One row a place and mode within 30 minutes, ordered by mode id, then dest_id. Paginated: pass `next_cursor` as `cursor` until it is null. One token a row, at least one a page. */
  listBlockPois: {
    params: {
      /** Census block GEOID, 15 digits; leading zeros count. */
      geoid: string;
      /** Travel modes; repeat for several. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Only these places; repeat for several. */
      dest_id?: ReadonlyArray<number> | undefined;
      /** Only what is within so many minutes, at most 30. */
      max_minutes?: number | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        block_geoid: string;
        results: Array<PoiTime>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
        /** Modes that could not be routed from the block: of them no row means not known. Absent where all could. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** Minutes from the block of a point to the nearest of each destination type. The point is resolved to the census block it lies in; the rows are that block’s. On a border it belongs to the block with the lowest GEOID. All rows at once; paginated if you send `limit` or `cursor`. One token a row, at least one. */
  getPointSummary: {
    params: {
      /** Latitude, WGS84 degrees. */
      lat: number;
      /** Longitude, WGS84 degrees. */
      lon: number;
      /** Travel modes; repeat for several. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Rows a page, 1 to 1000. Without `limit` and `cursor`: all rows at once. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        resolved_block: string;
        block: BlockMetadata;
        results: Array<CategoryTime>;
        /** Only where `limit` or `cursor` was sent; null on the last page. */
        next_cursor?: string | null;
        /** Modes that could not be routed from the block: of them no row means not known. Absent where all could. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Summaries of many points. What `GET /v1/point/summary` answers, for many points. 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in `errors`, the others still give rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are in `truncated`, whole; the first is always answered. One token a row, at least one; an origin that is listed twice is charged twice. */
  getPointSummaries: {
    params: {
      /** Points, 1 to 250. */
      origins: ReadonlyArray<{
        lon: number;
        lat: number;
      }>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      max_rows?: MaxRows | undefined;
    };
    responses: {
      'application/json': {
        results: Array<{
          dest_type_id: number;
          mode: Mode;
          /** Minutes, one decimal. Over 30 is not reached: there is no row. */
          travel_time: number;
          origin_lat: number;
          origin_lon: number;
        }>;
        origins: Array<{
          origin_lat: number;
          origin_lon: number;
          resolved_block: string;
          population: number | null;
          land_area_m2: number | null;
        }>;
        truncated: Array<{
          origin_lat: number;
          origin_lon: number;
        }>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Minutes from the block of a point to each single place within reach. The point is resolved to the census block it lies in; the rows are that block’s, ordered by mode id, then dest_id. Paginated. One token a row, at least one a page. */
  listPointPois: {
    params: {
      /** Latitude, WGS84 degrees. */
      lat: number;
      /** Longitude, WGS84 degrees. */
      lon: number;
      /** Travel modes; repeat for several. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Only these places; repeat for several. */
      dest_id?: ReadonlyArray<number> | undefined;
      /** Only what is within so many minutes, at most 30. */
      max_minutes?: number | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        resolved_block: string;
        results: Array<PoiTime>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
        /** Modes that could not be routed from the block: of them no row means not known. Absent where all could. */
        unrouted?: Array<{
          mode: Mode;
          reason: UnroutedReason;
        }>;
      };
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** Places within reach of many points. All rows of `GET /v1/point/pois`, for many points. 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in `errors`, the others still give rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are in `truncated`, whole; the first is always answered. One token a row, at least one; an origin that is listed twice is charged twice. */
  listPointsPois: {
    params: {
      /** Points, 1 to 250. */
      origins: ReadonlyArray<{
        lon: number;
        lat: number;
      }>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Only these places. */
      dest_id?: ReadonlyArray<number> | undefined;
      /** Only what is within so many minutes, at most 30. */
      max_minutes?: number | undefined;
      max_rows?: MaxRows | undefined;
    };
    responses: {
      'application/json': {
        results: Array<{
          dest_id: number;
          mode: Mode;
          /** Minutes, one decimal. Over 30 is not reached: there is no row. */
          travel_time: number;
          name: string;
          lon: number;
          lat: number;
          address: Address;
          origin_lat: number;
          origin_lon: number;
        }>;
        origins: Array<{
          origin_lat: number;
          origin_lon: number;
          resolved_block: string;
        }>;
        truncated: Array<{
          origin_lat: number;
          origin_lon: number;
        }>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** Places in a box or around a point. Give either `bbox`, or `lat`, `lon` and `radius_m`. A box whose west edge is east of its east edge crosses the antimeridian. Spatial only: no travel times. In a fixed spatial order, paginated; over a very large area a page may hold fewer rows than `limit` and still not be the last: only a null `next_cursor` is the end. One token a row, at least one a page. */
  searchPois: {
    params: {
      /** `min_lon,min_lat,max_lon,max_lat`, WGS84 degrees. With `min_lon` over `max_lon` it crosses the antimeridian, and must span under 180 degrees. */
      bbox?: string | undefined;
      /** Latitude, WGS84 degrees. */
      lat?: number | undefined;
      /** Longitude, WGS84 degrees. */
      lon?: number | undefined;
      /** Metres around the point, at most 50000. */
      radius_m?: number | undefined;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Part of the name; case and accents do not matter. */
      q?: string | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        results: Array<PoiSearchResult>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
      };
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** One place. What is known of a place: its types, address and brand. One token. */
  getPoi: {
    params: {
      /** Stable id of a point of interest. */
      dest_id: number;
    };
    responses: {
      'application/json': PoiDetail;
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** Minutes to one place from each block that reaches it. One row a block and mode within 30 minutes of the place, ordered by mode id, then GEOID. Paginated. One token a row, at least one a page. */
  listPoiCatchment: {
    params: {
      /** Stable id of a point of interest. */
      dest_id: number;
      /** Travel modes; repeat for several. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Only these blocks, GEOIDs as integers; repeat for several. */
      block?: ReadonlyArray<number> | undefined;
      /** Only what is within so many minutes, at most 30. */
      max_minutes?: number | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        dest_id: number;
        results: Array<CatchmentRow>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Minutes to the nearest of each destination type, for all blocks of a city or town. Rows of the blocks whose centre is in the place, ordered by GEOID, type id, mode id. No row means not within 30 minutes, or not known: `include_missing` tells them apart. Paginated. One token a row, at least one a page. */
  listPlaceBlocks: {
    params: {
      /** Census place GEOID, 7 digits; leading zeros count. */
      geoid: string;
      /** Travel modes; repeat for several. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Whether rows carry the population of their block. */
      include_population?: boolean | undefined;
      /** Whether every block of the area has a row for each wanted type and mode: where there is no time, `travel_time` is null and `reason` says why. Charged like any row. */
      include_missing?: boolean | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        results: Array<ArealBlockResult>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Places to go in a city or town. What lies in the census place, by the very outline that says which blocks do; the boundary route gives it simplified. Spatial only: no travel times. In a fixed spatial order, paginated. One token a row, at least one a page. */
  listPlacePois: {
    params: {
      /** Census place GEOID, 7 digits; leading zeros count. */
      geoid: string;
      /** Destination type ids; repeat for several. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Part of the name; case and accents do not matter. */
      q?: string | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other parameters. */
      cursor?: string | undefined;
    };
    responses: {
      'application/json': {
        results: Array<PoiSearchResult>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
      };
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** Minutes to the nearest of each destination type, for all blocks of an area. Give `polygon`, or `center` and `radius_m`. Rows of the blocks whose centre is in the area, ordered by GEOID, type id, mode id. No row means not within 30 minutes, or not known: `include_missing` tells them apart. Paginated; over many counties a page may hold fewer rows than `limit` and still not be the last: only a null `next_cursor` is the end. One token a row, at least one a page. */
  queryBlocks: {
    params: {
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
      /** Middle of a circle. */
      center?: {
        lon: number;
        lat: number;
      } | undefined;
      /** Metres around the centre, at most 50000. */
      radius_m?: number | undefined;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Whether rows carry the population of their block. */
      include_population?: boolean | undefined;
      /** Whether every block of the area has a row for each wanted type and mode: where there is no time, `travel_time` is null and `reason` says why. Charged like any row. */
      include_missing?: boolean | undefined;
      /** Rows a page, 1 to 1000. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same other members. Null: none. */
      cursor?: string | null | undefined;
    };
    responses: {
      'application/json': {
        results: Array<ArealBlockResult>;
        /** Pass as `cursor` for the next page; null on the last. */
        next_cursor: string | null;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Summaries of many blocks. What `GET /v1/blocks/{geoid}/summary` answers, for many blocks. 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in `errors`, the others still give rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are in `truncated`, whole; the first is always answered. One token a row, at least one; an origin that is listed twice is charged twice. */
  getBlockSummaries: {
    params: {
      /** Blocks, 1 to 250. One that is malformed or not known is in `errors`, alone. */
      origins: ReadonlyArray<string>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      max_rows?: MaxRows | undefined;
    };
    responses: {
      'application/json': {
        results: Array<{
          dest_type_id: number;
          mode: Mode;
          /** Minutes, one decimal. Over 30 is not reached: there is no row. */
          travel_time: number;
          geoid: string;
        }>;
        blocks: Array<BlockMetadata>;
        truncated: Array<string>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** Places within reach of many blocks. All rows of `GET /v1/blocks/{geoid}/pois`, for many blocks. 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in `errors`, the others still give rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are in `truncated`, whole; the first is always answered. One token a row, at least one; an origin that is listed twice is charged twice. */
  listBlocksPois: {
    params: {
      /** Blocks, 1 to 250. One that is malformed or not known is in `errors`, alone. */
      origins: ReadonlyArray<string>;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Destination type ids. A parent stands for all its leaves. Omitted: all. */
      type?: ReadonlyArray<number> | undefined;
      /** Only these places. */
      dest_id?: ReadonlyArray<number> | undefined;
      /** Only what is within so many minutes, at most 30. */
      max_minutes?: number | undefined;
      max_rows?: MaxRows | undefined;
    };
    responses: {
      'application/json': {
        results: Array<{
          dest_id: number;
          mode: Mode;
          /** Minutes, one decimal. Over 30 is not reached: there is no row. */
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
      'text/csv': string;
      'application/x-ndjson': string;
      'application/geo+json': RowsAsGeoJson;
    };
  };
  /** Catchments of many places. All rows of `GET /v1/pois/{dest_id}/catchment`, for many places. 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in `errors`, the others still give rows, in the order of the request. Origins that the balance, `max_rows` or the row budget does not cover are in `truncated`, whole; the first is always answered. One token a row, at least one; an origin that is listed twice is charged twice. */
  listPoisCatchments: {
    params: {
      /** Places to go, 1 to 250. One that is not known is in `errors`, alone. */
      dest_ids: ReadonlyArray<number>;
      /** Only what is within so many minutes, at most 30. */
      max_minutes?: number | undefined;
      /** Travel modes. Omitted: all modes of the release. */
      mode?: ReadonlyArray<'walk' | 'bike' | 'transit'> | undefined;
      /** Only these blocks, GEOIDs as integers. */
      block?: ReadonlyArray<number> | undefined;
      max_rows?: MaxRows | undefined;
    };
    responses: {
      'application/json': {
        results: Array<CatchmentRow>;
        truncated: Array<number>;
        errors: Array<OriginError>;
        truncated_reason: TruncatedReason;
      };
      'text/csv': string;
      'application/x-ndjson': string;
    };
  };
  /** The isochrone store: version, modes, directions, assumptions. What isochrones of the release in force rest on. `version` is what `v` pins. */
  getIsochroneMeta: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        version: string;
        directions: Array<'from' | 'to'>;
        modes: Array<Mode>;
        max_minutes: number;
        dest_set?: string;
        assumptions: {
          max_trip_duration_min?: number;
          max_reach_min?: number;
          walk_speed_kmh?: number;
          bike_speed_kmh?: number;
          bike_max_traffic_stress?: number;
          bike_beyond_traffic_stress?: string;
          bike_tracks?: string;
          bike_sidepath?: string;
          bike_barriers?: string;
          link_radius_m?: number;
          link_radius_fallback_m?: number;
          link_to?: string;
          min_island_vertices?: number;
          origin?: string;
          rounding?: string;
          direction_to?: string;
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
          fill_holes_below_m2?: number;
          [member: string]: unknown;
        };
      };
    };
  };
  /** How far one gets from a block, or from how far one gets to it. Contours of up to 60 minutes around a block (`block`) or the block of a point (`lon`, `lat`), by one mode: `minutes`, or up to four ascending `contours`. Dissolved from the blocks within reach; small holes are filled. 10 tokens a contour; free for members. */
  getIsochrone: {
    params: {
      /** Census block GEOID, 15 digits; leading zeros count. */
      block?: string | undefined;
      /** Longitude, WGS84 degrees. */
      lon?: number | undefined;
      /** Latitude, WGS84 degrees. */
      lat?: number | undefined;
      /** One contour, 1 to 60 minutes. */
      minutes?: number | undefined;
      /** Up to four contours in minutes, ascending: `10,20,30`, or repeated. */
      contours?: ReadonlyArray<number> | undefined;
      /** Travel mode. */
      mode?: 'walk' | 'bike' | 'transit' | undefined;
      /** From the origin outwards, or towards it. */
      direction?: 'from' | 'to' | undefined;
      /** Contours, or the blocks themselves. */
      format?: 'geojson' | 'blocks' | undefined;
      /** The store version to pin: another is `no-isochrone-data`. */
      v?: string | undefined;
    };
    responses: {
      'application/json': Isochrone | IsochroneBlocks;
      'application/geo+json': Isochrone;
    };
  };
  /** The tile archives of the release, readable by range. PMTiles 3 archives to read by byte range, without a key and free: `blocks`, and the bands of each mode and leaf destination type, which are the tiles of `/v1/isochrone/tiles`. What is behind a URL never changes; another release has others. Empty of a release that was built without tiles. */
  getTileArchives: {
    params: Record<string, never>;
    responses: {
      'application/json': {
        release: string;
        /** West, south, east and north edge of its blocks, degrees; those of water too. */
        bounds: Array<number>;
        /** The same of its POIs: what a map had better show first. Null if it has none. */
        poi_bounds: Array<number> | null;
        archives: Array<{
          layer: 'blocks' | 'bands';
          mode: Mode | null;
          dest_type_id: number | null;
          url: string;
          bytes: number;
        }>;
      };
    };
  };
  /** TileJSON of the travel-time bands of a mode and destination type. TileJSON 3. The layer `bands` has polygons whose `minutes` are 5, 10 … 30: that much, at most, to the nearest such place, and more than the band before. */
  getTileJson: {
    params: {
      /** Travel mode. */
      mode: 'walk' | 'bike' | 'transit';
      /** A leaf destination type. */
      dest_type_id: number;
    };
    responses: {
      'application/json': {
        tilejson: '3.0.0';
        tiles: Array<string>;
        [member: string]: unknown;
      };
    };
  };
  /** A vector tile of travel-time bands. Bands of minutes to the nearest place of a type by a mode, as a Mapbox vector tile. 1 token; free for members. An empty tile is 204, and free. */
  getTile: {
    params: {
      /** Travel mode. */
      mode: 'walk' | 'bike' | 'transit';
      /** A leaf destination type. */
      dest_type_id: number;
      z: number;
      x: number;
      y: number;
    };
    responses: {
      'application/vnd.mapbox-vector-tile': Uint8Array;
    };
  };
}

/** Method and path of each operation; of a batch also the list to send in chunks, and their size. */
export const OPERATIONS: Record<
  keyof Operations,
  readonly [method: string, path: string, list?: string, size?: number]
> = {
  getHealth: ['GET','/v1/health'],
  getReady: ['GET','/v1/ready'],
  getLastUpdated: ['GET','/v1/last-updated'],
  getModes: ['GET','/v1/meta/modes'],
  getDestinationTypes: ['GET','/v1/meta/destination-types'],
  getVintage: ['GET','/v1/meta/vintage'],
  getPlans: ['GET','/v1/plans'],
  findPlaces: ['GET','/v1/places'],
  getPlaceBoundary: ['GET','/v1/places/{geoid}/boundary'],
  getTokens: ['GET','/v1/tokens'],
  getBlockSummary: ['GET','/v1/blocks/{geoid}/summary'],
  listBlockPois: ['GET','/v1/blocks/{geoid}/pois'],
  getPointSummary: ['GET','/v1/point/summary'],
  getPointSummaries: ['POST','/v1/point/summary','origins',250],
  listPointPois: ['GET','/v1/point/pois'],
  listPointsPois: ['POST','/v1/point/pois','origins',250],
  searchPois: ['GET','/v1/pois'],
  getPoi: ['GET','/v1/pois/{dest_id}'],
  listPoiCatchment: ['GET','/v1/pois/{dest_id}/catchment'],
  listPlaceBlocks: ['GET','/v1/places/{geoid}/blocks'],
  listPlacePois: ['GET','/v1/places/{geoid}/pois'],
  queryBlocks: ['POST','/v1/blocks/query'],
  getBlockSummaries: ['POST','/v1/blocks/summary','origins',250],
  listBlocksPois: ['POST','/v1/blocks/pois','origins',250],
  listPoisCatchments: ['POST','/v1/pois/catchment','dest_ids',250],
  getIsochroneMeta: ['GET','/v1/isochrone/meta'],
  getIsochrone: ['GET','/v1/isochrone'],
  getTileArchives: ['GET','/v1/meta/tiles'],
  getTileJson: ['GET','/v1/isochrone/tiles/{mode}/{dest_type_id}.json'],
  getTile: ['GET','/v1/isochrone/tiles/{mode}/{dest_type_id}/{z}/{x}/{y}.mvt'],
};
