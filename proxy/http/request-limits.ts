import { withCommas } from '../../shards/number-words.ts';

/** Limits on API requests, which the service enforces; problem pages and the map state them. */
export const REQUEST_LIMITS = {
  origins: 250,
  /** Blocks from which all departures of the window are searched, which takes up to 0.3 s each. */
  spreadOrigins: 10,
  /** Vertices per polygon, not counting the repeated ends of its rings. */
  vertices: 2_000,
  squareKilometres: 5_000,
  criteria: 8,
  /** Sites of one's own; also the limit on candidates. */
  sites: 1_000,
  chosen: 50,
  nameLength: 100,
} as const;

/**
 * Maximum number of wrong items of a list, and of unknown members of an object, that are counted. A
 * fault costs as much as dozens of valid items, and a body can hold thousands.
 */
export const MAX_COUNTED_FAULTS = 100;

export const POLYGON_LIMITS = `${withCommas(REQUEST_LIMITS.vertices)} vertices and ${withCommas(REQUEST_LIMITS.squareKilometres)} km²`;
