import type { BoundingBox } from '../units.ts';

/** Whether a stretch of a straight line has a point in common with a box, in plain doubles. */
export function segmentMeetsBox(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  { minLon, minLat, maxLon, maxLat }: BoundingBox,
): boolean {
  if ((ax < minLon && bx < minLon) || (ax > maxLon && bx > maxLon)) return false;
  if ((ay < minLat && by < minLat) || (ay > maxLat && by > maxLat)) return false;
  // The line misses the box where all corners are on one side of it.
  const [dx, dy] = [bx - ax, by - ay];
  const [south, north] = [dx * (minLat - ay), dx * (maxLat - ay)];
  const [west, east] = [dy * (minLon - ax), dy * (maxLon - ax)];
  const least = Math.min(south, north) - Math.max(west, east);
  const most = Math.max(south, north) - Math.min(west, east);
  return least <= 0 && most >= 0;
}
