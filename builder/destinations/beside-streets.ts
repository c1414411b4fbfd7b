import Flatbush from 'flatbush';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { NO_LINKING, WALK_BACKWARD, WALK_FORWARD } from '../streets/traits.ts';

/** How far from a street a boundary may lie and still be crossed from it. */
const BESIDE: Metres = 50;

export interface Streets {
  readonly ways: StreetWays;
  readonly nodes: StreetNodes;
}

/**
 * Of each line's points, those within 50 m of a street that people walk along. The lines are
 * indexed, not the streets, of which there are many more.
 */
export function pointsBesideStreets(
  lines: readonly Ring[],
  { ways, nodes }: Streets,
): (readonly [lon: Degrees, lat: Degrees])[][] {
  const points = lines.flat();
  if (points.length === 0) return lines.map(() => []);
  const tree = new Flatbush(points.length);
  for (const [lon, lat] of points) tree.add(lon, lat);
  tree.finish();
  const isBeside = new Uint8Array(points.length);
  for (let way = 0; way < ways.count; way++) {
    const traits = ways.traits[way];
    if ((traits & (WALK_FORWARD | WALK_BACKWARD)) === 0 || (traits & NO_LINKING) !== 0) continue;
    for (let i = ways.firstRef[way] + 1; i < ways.firstRef[way + 1]; i++) {
      const [a, b] = [ways.refs[i - 1], ways.refs[i]];
      const [aLon, aLat, bLon, bLat] = [nodes.lon[a], nodes.lat[a], nodes.lon[b], nodes.lat[b]];
      const perLon = metresPerDegreeLon(aLat);
      const perLat = metresPerDegreeLat(aLat);
      const near = tree.search(
        Math.min(aLon, bLon) - BESIDE / perLon,
        Math.min(aLat, bLat) - BESIDE / perLat,
        Math.max(aLon, bLon) + BESIDE / perLon,
        Math.max(aLat, bLat) + BESIDE / perLat,
        (point) => isBeside[point] === 0,
      );
      const [dx, dy] = [(bLon - aLon) * perLon, (bLat - aLat) * perLat];
      const squared = dx * dx + dy * dy;
      for (const point of near) {
        const [lon, lat] = points[point];
        const [px, py] = [(lon - aLon) * perLon, (lat - aLat) * perLat];
        const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
        if (Math.hypot(px - along * dx, py - along * dy) <= BESIDE) isBeside[point] = 1;
      }
    }
  }
  let first = 0;
  return lines.map((line) => {
    const beside = line.filter((_, i) => isBeside[first + i] === 1);
    first += line.length;
    return beside;
  });
}
