import type { Release } from '../../shards/release/release.ts';
import type { BoundingBox } from '../../shards/units.ts';

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
