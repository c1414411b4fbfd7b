import type { Release } from '../../shards/release/release.ts';
import type { BoundingBox, Degrees } from '../../shards/units.ts';
import { invalidParameter } from '../http/problem.ts';

/**
 * Whether boxes that meet no county of the release would meet one with longitude and latitude
 * exchanged.
 */
export function areExchanged(release: Release, boxes: readonly BoundingBox[]): boolean {
  const exchanged = boxes.map(({ minLon, minLat, maxLon, maxLat }) => ({
    minLon: minLat,
    minLat: minLon,
    maxLon: maxLat,
    maxLat: maxLon,
  }));
  const { blockBoxes } = release;
  return blockBoxes.meeting(boxes).length === 0 && blockBoxes.meeting(exchanged).length > 0;
}

/** Describes an area or a point that `areExchanged`; the name of the parameter precedes. */
export const EXCHANGED =
  'is beyond this release, and would be in it with lon and lat exchanged; in boxes and GeoJSON longitude comes first';

interface Point {
  readonly lon: Degrees;
  readonly lat: Degrees;
}

/** Returns the error message for a point that is in the release only if exchanged, else null. */
export function exchangedFault(release: Release, { lon, lat }: Point): string | null {
  const box = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  if (!areExchanged(release, [box])) return null;
  return `the point ${lat}, ${lon} (latitude, longitude) ${EXCHANGED}`;
}

/** Throws `invalid-parameters` for a point, at `loc`, that is in the release only if exchanged. */
export function refuseExchanged(
  release: Release,
  point: Point,
  loc: readonly (string | number)[],
): void {
  const msg = exchangedFault(release, point);
  if (msg !== null) throw invalidParameter(loc, msg, 'exchanged');
}
