import Flatbush from 'flatbush';
import {
  boxOf,
  bufferBox,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../shards/geometry/wgs84.ts';
import type { Degrees } from '../../shards/units.ts';
import { segmentDistance } from '../geo/segments.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { StreetNetwork } from './network.ts';
import {
  isCalmToRide,
  isRiddenBeside,
  isWalkedBeside,
  isWalkedThrough,
  withoutSentRiders,
  withoutSentWalkers,
} from './trait-bits.ts';

type ShapedEdges = Pick<
  StreetNetwork,
  'edgeCount' | 'traits' | 'firstPoint' | 'pointLon' | 'pointLat'
>;

/** The middle of an edge, and the direction there: a unit vector to the east and north. */
interface Middle {
  readonly edge: number;
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly east: number;
  readonly north: number;
}

/** The smallest cosine between two directions that count as the same. */
const PARALLEL = Math.cos((ROUTING.sidepathTurn * Math.PI) / 180);

/**
 * Closes edges to travellers whom tags send to a sidepath, if there is one within a few metres of
 * the middle of the edge and parallel to it: to riders (`bicycle=use_sidepath`, by direction) next
 * to a calm way for riding, and to walkers (`foot=use_sidepath`) next to any way for walking.
 * Otherwise the street stays open, since many connections would be cut. The spatial index holds the
 * middles of edges, not the paths, of which there are many more. `traits` has the stress next to
 * the cars. Returns the traits of each edge.
 */
export function leaveToSidepaths(edges: ShapedEdges): Uint32Array {
  const { edgeCount, traits, firstPoint, pointLon, pointLat } = edges;
  const middles: Middle[] = [];
  for (let e = 0; e < edgeCount; e++) {
    if (isRiddenBeside(traits[e]) || isWalkedBeside(traits[e])) middles.push(middleOf(edges, e));
  }
  if (middles.length === 0) return traits;
  const tree = new Flatbush(middles.length);
  for (const { lon, lat } of middles) tree.add(lon, lat);
  tree.finish();
  const left = traits.slice();
  for (let e = 0; e < edgeCount; e++) {
    const isForRiders = isCalmToRide(traits[e]);
    const isForWalkers = isWalkedThrough(traits[e]) && !isWalkedBeside(traits[e]);
    if (!isForRiders && !isForWalkers) continue;
    for (let p = firstPoint[e]; p < firstPoint[e + 1] - 1; p++) {
      const from = [pointLon[p], pointLat[p]] as const;
      const to = [pointLon[p + 1], pointLat[p + 1]] as const;
      const around = bufferBox(boxOf([from, to]), ROUTING.sidepathRadius);
      for (const m of tree.search(around.minLon, around.minLat, around.maxLon, around.maxLat)) {
        const { edge, lon, lat, east, north } = middles[m];
        const [x, y] = direction(edges, p);
        if (Math.abs(x * east + y * north) < PARALLEL) continue;
        if (segmentDistance([lon, lat], from, to) > ROUTING.sidepathRadius) continue;
        if (isForRiders) left[edge] = withoutSentRiders(left[edge]);
        if (isForWalkers) left[edge] = withoutSentWalkers(left[edge]);
      }
    }
  }
  return left;
}

function middleOf(edges: ShapedEdges, edge: number): Middle {
  const { firstPoint, pointLon, pointLat } = edges;
  const [first, last] = [firstPoint[edge], firstPoint[edge + 1] - 1];
  let half = 0;
  for (let p = first; p < last; p++) half += metresOf(edges, p) / 2;
  let point = first;
  while (metresOf(edges, point) < half) half -= metresOf(edges, point++);
  const part = half === 0 ? 0 : half / metresOf(edges, point);
  const [east, north] = direction(edges, point);
  return {
    edge,
    east,
    north,
    lon: pointLon[point] + part * (pointLon[point + 1] - pointLon[point]),
    lat: pointLat[point] + part * (pointLat[point + 1] - pointLat[point]),
  };
}

/** Metres to the east and to the north from a point of a shape to the next. */
function stepFrom({ pointLon, pointLat }: ShapedEdges, p: number): readonly [number, number] {
  return [
    (pointLon[p + 1] - pointLon[p]) * metresPerDegreeLon(pointLat[p]),
    (pointLat[p + 1] - pointLat[p]) * metresPerDegreeLat(pointLat[p]),
  ];
}

function metresOf(edges: ShapedEdges, p: number): number {
  return Math.hypot(...stepFrom(edges, p));
}

function direction(edges: ShapedEdges, p: number): readonly [number, number] {
  const [x, y] = stepFrom(edges, p);
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}
