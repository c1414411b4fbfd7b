import Flatbush from 'flatbush';
import type { Ring } from '../../shards/geometry/polygon.ts';
import { boxOf, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';
import { segmentDistance } from '../geo/segments.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { isWalkedThrough, NO_LINKING } from '../streets/trait-bits.ts';

/** Maximum distance from a street at which a boundary can still be entered from it. */
const BESIDE: Metres = 50;

export interface Streets {
  readonly ways: StreetWays;
  readonly nodes: StreetNodes;
}

/**
 * Returns, for each line, its points next to a walkable street. The index holds the points of the
 * lines rather than the streets, which are far more numerous.
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
    if (!isWalkedThrough(traits) || (traits & NO_LINKING) !== 0) continue;
    for (let i = ways.firstRef[way] + 1; i < ways.firstRef[way + 1]; i++) {
      const [a, b] = [ways.refs[i - 1], ways.refs[i]];
      const [from, to] = [positionOf(nodes, a), positionOf(nodes, b)];
      const { minLon, minLat, maxLon, maxLat } = bufferBox(boxOf([from, to]), BESIDE);
      const isNew = (point: number) => isBeside[point] === 0;
      for (const point of tree.search(minLon, minLat, maxLon, maxLat, isNew)) {
        if (segmentDistance(points[point], from, to) <= BESIDE) isBeside[point] = 1;
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

function positionOf({ lon, lat }: StreetNodes, node: number): readonly [Degrees, Degrees] {
  return [lon[node], lat[node]];
}
