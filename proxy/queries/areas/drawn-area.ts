import Flatbush from 'flatbush';
import type { Turns } from '../../../shards/concurrency/turns.ts';
import { squareMetresOf } from '../../../shards/geometry/planar.ts';
import type { Polygon, Position, Ring } from '../../../shards/geometry/polygon.ts';
import { type SweepFault, SweepLine } from '../../../shards/geometry/sweep-line.ts';
import { boxOf, edgesOf, segmentMeetsBox } from '../../../shards/geometry/wgs84.ts';
import { withCommas } from '../../../shards/number-words.ts';
import { type BoundingBox, MICRO } from '../../../shards/units.ts';
import { isOnEarth } from '../../bounds.ts';
import { Problem } from '../../http/problem.ts';
import { REQUEST_LIMITS } from '../../http/request-limits.ts';
import type { SearchedArea } from '../searched-area.ts';

const MAX_SQUARE_KILOMETRES = REQUEST_LIMITS.squareKilometres;
const MIN_POSITIONS = 4;

const FAULTS: Readonly<Record<SweepFault, string>> = {
  crossing: 'its rings cross or touch themselves',
  hole: 'a hole lies outside its shell or inside another hole',
  overlap: 'its polygons overlap',
};

/**
 * Builds an area from the polygons of a GeoJSON Polygon or MultiPolygon, yielding to the event
 * loop: thousands of vertices take milliseconds. Rejects with `polygon-too-complex` for too many
 * vertices; `invalid-geometry` for rings that are unclosed, cross themselves, overlap or are out of
 * range.
 */
export function drawnArea(drawn: readonly Polygon[], turns: Turns): Promise<SearchedArea> {
  return turns.run(areaSteps(drawn));
}

function* areaSteps(drawn: readonly Polygon[]): Generator<undefined, SearchedArea, undefined> {
  const polygons = drawn.map((polygon) => polygon.map(withoutRepeats));
  const rings = polygons.flat();
  if (rings.length === 0) throw invalidPolygon('it has no rings');
  if (polygons.some((polygon) => polygon.length === 0))
    throw invalidPolygon('a polygon has no rings');
  for (const ring of rings) checkRing(ring);
  yield;
  const sweep = new SweepLine(polygons);
  yield;
  const fault = yield* sweep.faultSteps();
  if (fault) throw invalidPolygon(FAULTS[fault]);
  const squareKilometres = squareMetresOf(polygons) / 1e6;
  if (squareKilometres > MAX_SQUARE_KILOMETRES) {
    throw new Problem(
      'polygon-too-complex',
      `the polygon covers ${Math.round(squareKilometres)} km²; the limit is ${withCommas(MAX_SQUARE_KILOMETRES)}: split it`,
    );
  }
  yield;
  const crosses = yield* borderSteps(rings);
  return {
    boxes: polygons.map(([shell]) => boxOf(shell)),
    meets: (box) => crosses(box) || sweep.isInside(box.minLon, box.minLat),
    contains: (lon, lat) => sweep.isInside(lon / MICRO, lat / MICRO),
  };
}

function* borderSteps(
  rings: readonly Ring[],
): Generator<undefined, (box: BoundingBox) => boolean, undefined> {
  const edges = rings.flatMap((ring) => ring.slice(1).map((end, i) => [ring[i], end] as const));
  const tree = new Flatbush(edges.length);
  for (const edge of edges) tree.add(...edgesOf(boxOf(edge)));
  yield;
  tree.finish();
  return (box) =>
    tree.collides(...edgesOf(box), (i) => {
      const [[ax, ay], [bx, by]] = edges[i];
      return segmentMeetsBox(ax, ay, bx, by, box);
    });
}

function checkRing(ring: Ring): void {
  for (const [lon, lat] of ring) {
    if (!isOnEarth(lon, lat)) {
      throw invalidPolygon(`the position ${lon}, ${lat} is out of range; longitude comes first`);
    }
  }
  if (ring.length < MIN_POSITIONS) throw invalidPolygon('a ring needs at least four positions');
  const [first, last] = [ring[0], ring[ring.length - 1]];
  if (first[0] !== last[0] || first[1] !== last[1]) {
    throw invalidPolygon('a ring is not closed: its last position must repeat its first');
  }
  const isThere = (a: Position, b: Position) => a[0] === b[0] && a[1] === b[1];
  const isBetweenTwo = ring.every((at) => isThere(at, ring[0]) || isThere(at, ring[1]));
  if (isBetweenTwo) throw invalidPolygon('a ring encloses no area');
}

/** Drops consecutive duplicate positions, which are harmless. */
function withoutRepeats(ring: Ring): Ring {
  return ring.filter(
    ([lon, lat], i) => i === 0 || lon !== ring[i - 1][0] || lat !== ring[i - 1][1],
  );
}

export function invalidPolygon(problem: string): Problem {
  return new Problem('invalid-geometry', `the polygon is not valid: ${problem}`);
}
