/** How much the API takes in a request: it keeps to these, and the problem pages tell them. */
export const REQUEST_LIMITS = {
  /** Of a batch. */
  origins: 250,
  /** Of a polygon, the repeated ends of its rings not among them. */
  vertices: 2_000,
  squareKilometres: 5_000,
} as const;

/** What a polygon may be, in words. */
export const POLYGON_LIMITS = `${withCommas(REQUEST_LIMITS.vertices)} vertices and ${withCommas(REQUEST_LIMITS.squareKilometres)} km²`;

/** A whole number with commas between its thousands. */
export function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}
