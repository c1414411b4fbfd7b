import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import type { OsmClaims } from '../extract/osm-claims.ts';
import type { MapCells } from '../geo/map-cells.ts';

/** A file, by what it claims to cover and how long it is. */
interface SizedFile {
  readonly claims: OsmClaims;
  readonly bytes: Bytes;
}

/**
 * Cuts cells into batches, of which what files have there may be in memory at a time: `most` bytes of
 * them, as if each were filled evenly. Of a file that does not say what it covers, nothing is known.
 */
export function cutBatches(cells: MapCells, files: readonly SizedFile[], most: Bytes): MapCells[] {
  const expected = files.reduce((sum, { claims, bytes }) => {
    return sum + (claims.box ? bytes * shareOf(claims.box, cells.box) : 0);
  }, 0);
  const halves = expected > most ? cells.halves() : [];
  return halves.length === 0 ? [cells] : halves.flatMap((half) => cutBatches(half, files, most));
}

/** How much of a box lies in another. */
function shareOf(box: BoundingBox, other: BoundingBox): number {
  if (!boxesMeet(box, other)) return 0;
  const width = Math.min(box.maxLon, other.maxLon) - Math.max(box.minLon, other.minLon);
  const height = Math.min(box.maxLat, other.maxLat) - Math.max(box.minLat, other.minLat);
  const area = (box.maxLon - box.minLon) * (box.maxLat - box.minLat);
  return area > 0 ? (width * height) / area : 1;
}
