import { MINUTES, TENTHS } from '../shards/matrix/row-codec.ts';

/** Where a number must lie. */
export type Bounds = { readonly max: number } & (
  | { readonly min: number }
  /** The number must be greater. */
  | { readonly over: number }
);

/** Bounds of request numbers, in queries and bodies. */
export const BOUNDS = {
  latitude: { min: -90, max: 90 },
  longitude: { min: -180, max: 180 },
  /** Metres. */
  radius: { over: 0, max: 50_000 },
  /** Minutes, of the times that rows hold. */
  maxMinutes: { over: 0, max: TENTHS.most / 10 },
  /** Rows a page. */
  limit: { min: 1, max: 1000 },
  /** Any whole number: one that is no type is unknown. */
  typeId: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
  destId: { min: 0, max: Number.MAX_SAFE_INTEGER },
  /** A GEOID as an integer. */
  block: { min: 0, max: 999_999_999_999_999 },
  /** Minutes of an isochrone: as far as reach between blocks goes. */
  contour: { min: 1, max: MINUTES.most },
  /** Bounds of tile coordinates. */
  zoom: { min: 0, max: 30 },
  tileAcross: { min: 0, max: 2 ** 30 - 1 },
  /** Census places found by their name. */
  placesFound: { min: 1, max: 20 },
} as const satisfies Readonly<Record<string, Bounds>>;

/** How many of a thing a request may list, and how many characters it may have. */
export const MOST = {
  /** A parameter repeated: a URL is no place for longer lists. */
  repeats: 100,
  /** Members of a list in a body. */
  listed: 100,
  blocksListed: 1_000,
  /** Levels of an isochrone. */
  contours: 4,
  cursorLength: 512,
  nameLength: 100,
  versionLength: 100,
} as const;

/** Default numbers of rows per page and of places found. */
export const DEFAULT_LIMIT = 100;
export const DEFAULT_PLACES_FOUND = 10;

export function isWithin(bounds: Bounds, value: number): boolean {
  return value <= bounds.max && ('over' in bounds ? value > bounds.over : value >= bounds.min);
}

/** Whether there is such a point. */
export function isOnEarth(lon: number, lat: number): boolean {
  return isWithin(BOUNDS.longitude, lon) && isWithin(BOUNDS.latitude, lat);
}

/** Bounds as text, after "must be". */
export function boundsText(bounds: Bounds): string {
  return 'over' in bounds
    ? `over ${bounds.over} and at most ${bounds.max}`
    : `from ${bounds.min} to ${bounds.max}`;
}

/** Bounds as JSON Schema; JavaScript's safe-integer limits are left out. */
export function boundsSchema<T extends 'number' | 'integer'>(type: T, bounds: Bounds) {
  return {
    type,
    ...('over' in bounds && { exclusiveMinimum: bounds.over }),
    ...('min' in bounds && Number.isSafeInteger(bounds.min - 1) && { minimum: bounds.min }),
    ...(Number.isSafeInteger(bounds.max + 1) && { maximum: bounds.max }),
  };
}
