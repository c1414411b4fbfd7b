import { MAX_POI_MINUTES, MINUTES } from '../shards/matrix/row-codec.ts';
import { MAX_NTH } from '../shards/nearest/nth-nearest.ts';
import { MAX_DEST_ID, type Minutes } from '../shards/units.ts';
import { REQUEST_LIMITS } from './http/request-limits.ts';

export type Bounds = { readonly max: number } & (
  | { readonly min: number }
  /** Exclusive minimum. */
  | { readonly over: number }
);

/** Bounds of request numbers, in queries and bodies. */
export const BOUNDS = {
  latitude: { min: -90, max: 90 },
  longitude: { min: -180, max: 180 },
  /** Metres. */
  radius: { over: 0, max: 50_000 },
  /** Minutes, limited to the times stored in rows. */
  maxMinutes: { over: 0, max: MAX_POI_MINUTES },
  nth: { min: 1, max: MAX_NTH },
  /** Whole minutes within which POIs are counted. */
  countWithin: { min: 1, max: MAX_POI_MINUTES },
  limit: { min: 1, max: 1000 },
  /** Any integer; an integer that is not a type is reported as unknown. */
  typeId: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  destId: { min: 1, max: MAX_DEST_ID },
  /** A GEOID as an integer; the lowest state code is 01. */
  block: { min: 10_000_000_000_000, max: 999_999_999_999_999 },
  /** Minutes of an isochrone, limited to the reach between blocks. */
  contour: { min: 1, max: MINUTES.most },
  /** Capacity of a site, in any unit. */
  capacity: { min: 0, max: 1_000_000_000 },
  choose: { min: 1, max: REQUEST_LIMITS.chosen },
  uncovered: { min: 1, max: 1000 },
  /** Zoom level of a tile; `tileAcross` bounds its column and row. */
  zoom: { min: 0, max: 30 },
  tileAcross: { min: 0, max: 2 ** 30 - 1 },
  placesFound: { min: 1, max: 20 },
  addressesFound: { min: 1, max: 20 },
} as const satisfies Readonly<Record<string, Bounds>>;

export const LIMITS = {
  /** Repetitions of a parameter: longer lists do not belong in a URL. */
  repeats: 100,
  listed: 100,
  blocksListed: 1_000,
  weightsListed: 40,
  /** Few, since each group keeps a sum for every tenth of a minute. */
  groupsListed: 12,
  areaPlaces: 20,
  areaCounties: 20,
  areaBlocks: 10_000,
  criteria: REQUEST_LIMITS.criteria,
  nearPoints: 4,
  sites: REQUEST_LIMITS.sites,
  minutesListed: 12,
  contours: 4,
  cursorLength: 512,
  nameLength: REQUEST_LIMITS.nameLength,
  versionLength: 100,
} as const;

export const DEFAULT_LIMIT = 100;
export const DEFAULT_PLACES_FOUND = 10;
export const DEFAULT_ADDRESSES_FOUND = 5;
/** Default limits, in minutes, within which weights are counted. */
export const DEFAULT_MINUTES: readonly Minutes[] = [15, 30, 45, 60];

export function isWithin(bounds: Bounds, value: number): boolean {
  return value <= bounds.max && ('over' in bounds ? value > bounds.over : value >= bounds.min);
}

export function isOnEarth(lon: number, lat: number): boolean {
  return isWithin(BOUNDS.longitude, lon) && isWithin(BOUNDS.latitude, lat);
}

/** Bounds as text, to follow "must be". */
export function boundsText(bounds: Bounds): string {
  return 'over' in bounds
    ? `over ${bounds.over} and at most ${bounds.max}`
    : `from ${bounds.min} to ${bounds.max}`;
}

/**
 * Returns the error message for a number outside its bounds. For a latitude that would be a valid
 * longitude, the message suggests that the two are exchanged.
 */
export function rangeFault(bounds: Bounds, value: number): string {
  const fault = `must be ${boundsText(bounds)}`;
  const isLongitude = bounds === BOUNDS.latitude && isWithin(BOUNDS.longitude, value);
  return isLongitude ? `${fault}: are lat and lon exchanged?` : fault;
}

/** Bounds as JSON Schema, without JavaScript's safe-integer limits. */
export function boundsSchema<T extends 'number' | 'integer'>(type: T, bounds: Bounds) {
  return {
    type,
    ...('over' in bounds && { exclusiveMinimum: bounds.over }),
    ...('min' in bounds && Number.isSafeInteger(bounds.min - 1) && { minimum: bounds.min }),
    ...(Number.isSafeInteger(bounds.max + 1) && { maximum: bounds.max }),
  };
}
