/** How much the API takes in a request: it keeps to these, and the problem pages tell them. */
export const REQUEST_LIMITS = {
  /** Origins of a batch. */
  origins: 250,
  /** Vertices of a polygon, without the repeated ends of its rings. */
  vertices: 2_000,
  squareKilometres: 5_000,
} as const;

/** Limits of a polygon as text. */
export const POLYGON_LIMITS = `${withCommas(REQUEST_LIMITS.vertices)} vertices and ${withCommas(REQUEST_LIMITS.squareKilometres)} km²`;

/** A whole number with commas between its thousands. */
export function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}
