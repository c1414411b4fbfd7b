import Flatbush from 'flatbush';
import { orient2d } from 'robust-predicates';
import type { Polygon } from './polygon.ts';

/**
 * Whether the borders of a polygon cross or run over each other or themselves, exactly. Rings may
 * touch at points, but a ring may not come back to a point of its own.
 */
export function crossesItself(polygon: Polygon): boolean {
  const segments = polygon.flatMap((ring, r) =>
    ring.slice(1).map((b, i) => ({ a: ring[i], b, ring: r, place: i, last: ring.length - 2 })),
  );
  if (segments.length === 0) return false;
  const tree = new Flatbush(segments.length);
  for (const { a, b } of segments) {
    tree.add(
      Math.min(a[0], b[0]),
      Math.min(a[1], b[1]),
      Math.max(a[0], b[0]),
      Math.max(a[1], b[1]),
    );
  }
  tree.finish();
  return segments.some((s, i) => {
    const [west, east] = [Math.min(s.a[0], s.b[0]), Math.max(s.a[0], s.b[0])];
    const [south, north] = [Math.min(s.a[1], s.b[1]), Math.max(s.a[1], s.b[1])];
    return tree
      .search(west, south, east, north, (j) => j > i)
      .some((j) => {
        const t = segments[j];
        const sameRing = s.ring === t.ring;
        if (sameRing && t.place === s.place + 1) return foldsBack(s.a, s.b, t.b);
        if (sameRing && s.place === 0 && t.place === s.last) return foldsBack(t.a, s.a, s.b);
        return cross(s.a, s.b, t.a, t.b, sameRing);
      });
  });
}

type Position = readonly [number, number];

/** Whether b → c runs back over a → b. */
function foldsBack(a: Position, b: Position, c: Position): boolean {
  if (orient2d(...a, ...b, ...c) !== 0) return false;
  return (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0;
}

/** Whether two segments have more in common than allowed: any point, or any but a touch. */
function cross(a: Position, b: Position, c: Position, d: Position, touchIsCrossing: boolean) {
  const [abc, abd] = [orient2d(...a, ...b, ...c), orient2d(...a, ...b, ...d)];
  const [cda, cdb] = [orient2d(...c, ...d, ...a), orient2d(...c, ...d, ...b)];
  if (abc === 0 && abd === 0) return overlap(a, b, c, d, touchIsCrossing);
  const meets = abc * abd <= 0 && cda * cdb <= 0;
  const touches = abc === 0 || abd === 0 || cda === 0 || cdb === 0;
  return meets && (touchIsCrossing || !touches);
}

function overlap(a: Position, b: Position, c: Position, d: Position, touchIsCrossing: boolean) {
  const axis = Math.abs(a[0] - b[0]) >= Math.abs(a[1] - b[1]) ? 0 : 1;
  const low = Math.max(Math.min(a[axis], b[axis]), Math.min(c[axis], d[axis]));
  const high = Math.min(Math.max(a[axis], b[axis]), Math.max(c[axis], d[axis]));
  return touchIsCrossing ? low <= high : low < high;
}
