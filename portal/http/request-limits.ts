import { withCommas } from '../../shards/number-words.ts';

/** Limits on API requests, which the service enforces; problem pages and the map state them. */
export const REQUEST_LIMITS = {
  /** Origins per batch. */
  origins: 250,
  /** Vertices per polygon, not counting the repeated ends of its rings. */
  vertices: 2_000,
  squareKilometres: 5_000,
  /** Criteria of a basket. */
  criteria: 8,
} as const;

/** Limits of a polygon as text. */
export const POLYGON_LIMITS = `${withCommas(REQUEST_LIMITS.vertices)} vertices and ${withCommas(REQUEST_LIMITS.squareKilometres)} km²`;
