import { invalidParameters } from '../../portal/http/problem.ts';
import type { Release } from '../../shards/release/release.ts';
import type { BoundingBox, Degrees } from '../../shards/units.ts';

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

/** Throws `invalid-parameters` for a point, at `loc`, that is in the release only if exchanged. */
export function refuseExchanged(
  release: Release,
  { lon, lat }: { readonly lon: Degrees; readonly lat: Degrees },
  loc: readonly (string | number)[],
): void {
  const box = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
  if (!areExchanged(release, [box])) return;
  const msg = `the point ${lat}, ${lon} (latitude, longitude) ${EXCHANGED}`;
  throw invalidParameters([{ loc, msg, type: 'exchanged' }]);
}
