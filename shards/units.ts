/**
 * Numbers and strings that carry their unit. A brand has no run-time cost; it prevents passing a
 * minute where a tenth of a minute is meant.
 */
declare const unit: unique symbol;
type Branded<T, Name extends string> = T & { readonly [unit]?: Name };

/**
 * Milliseconds. Travel times inside the builder are whole milliseconds, rounded once, at the end.
 */
export type Millis = Branded<number, 'ms'>;
/** Travel time in a row: tenths of a minute, 10 to 300. */
export type Tenths = Branded<number, 'min/10'>;
export type Minutes = Branded<number, 'min'>;
export type Seconds = Branded<number, 's'>;
/** Points in time, since 1970, UTC. */
export type EpochMillis = Branded<number, 'ms since 1970'>;
export type EpochSeconds = Branded<number, 's since 1970'>;
export type Metres = Branded<number, 'm'>;
export type SquareMetres = Branded<number, 'm2'>;
/** WGS84 degrees. */
export type Degrees = Branded<number, 'deg'>;
/** A coordinate in a shard: degrees × 10⁶ as an integer, about 0.1 m. */
export type MicroDegrees = Branded<number, 'deg/1e6'>;
export type Bytes = Branded<number, 'B'>;

/** Stable id of a point of interest: a natural number, see `builder/destinations/dest-id.ts`. */
export type DestId = Branded<number, 'dest_id'>;
/** The largest `dest_id`, of 15 digits, all of which R and spreadsheets keep. */
export const MAX_DEST_ID: DestId = 999_999_999_999_999;
export type DestTypeId = Branded<number, 'dest_type_id'>;

/**
 * Positions in the builder's global tables: of a destination by `dest_id`, of a block by GEOID, of
 * a stop.
 */
export type DestinationOrdinal = Branded<number, 'destination of the region'>;
export type BlockOrdinal = Branded<number, 'block of the region'>;
export type StopOrdinal = Branded<number, 'stop of the region'>;
export type RouteOrdinal = Branded<number, 'route of a timetable'>;
/** Position of a destination, block or stop among all search targets. */
export type TargetOrdinal = Branded<number, 'target of the region'>;

/**
 * Positions in a county's objects: of a block by GEOID, of a POI whose home is the county by
 * `dest_id`.
 */
export type CountyBlock = Branded<number, 'block of the county'>;
export type CountyPoi = Branded<number, 'poi of the county'>;
/** Position of a census place in its state's object, by GEOID. */
export type StatePlace = Branded<number, 'census place of the state'>;

/** Position of a service in the release's list. */
export type ReleaseMode = Branded<number, 'service of the release'>;

/** Five-digit county FIPS code: state and county. */
export type CountyFips = Branded<string, 'county'>;

/** A longitude/latitude box in degrees, west to east and south to north. */
export interface BoundingBox {
  readonly minLon: Degrees;
  readonly minLat: Degrees;
  readonly maxLon: Degrees;
  readonly maxLat: Degrees;
}

export const MICRO = 1_000_000;

export function toMicro(degrees: Degrees): MicroDegrees {
  return Math.round(degrees * MICRO);
}

/** Rounds degrees to the nearest millionth, as stored and returned. */
export function toStored(degrees: Degrees): Degrees {
  return toMicro(degrees) / MICRO;
}
