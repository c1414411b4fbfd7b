import type { Polygon } from './polygon.ts';
import { type SweepFault, SweepLine } from './sweep-line.ts';

/**
 * What makes a polygon none: its rings cross or run along each other or themselves, or a hole lies
 * outside its shell or in another hole. Null where it is whole: rings may touch in points, though a
 * ring may not come back to a point of its own. O(n log n), exact.
 */
export function polygonFault(polygon: Polygon): SweepFault | null {
  return new SweepLine([polygon]).fault();
}
