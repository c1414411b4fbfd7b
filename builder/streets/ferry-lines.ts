import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import type { StreetNodes, StreetWays } from './street-ways.ts';
import type { WayTime } from './way-time.ts';

/**
 * Returns the times of ways, with one wait per ferry line. A line is made of ways between which
 * passengers stay on board, because no other way meets the two where they end. The ways of a line
 * share the longest of their waits in proportion to their lengths.
 */
export function waitOncePerLine(
  ways: StreetWays,
  nodes: StreetNodes,
): ReadonlyMap<number, WayTime> {
  const times = new Map(ways.times);
  const next = onBoard(ways, nodes);
  const seen = new Set<number>();
  for (const ferry of next.keys()) {
    const line: number[] = [];
    const ahead = [ferry];
    for (let way = ahead.pop(); way !== undefined; way = ahead.pop()) {
      if (seen.has(way)) continue;
      seen.add(way);
      line.push(way);
      ahead.push(...next.get(way)!);
    }
    const metres = line.map((way) => lengthOf(ways, nodes, way));
    const all = metres.reduce((sum, length) => sum + length, 0);
    if (line.length < 2 || all === 0) continue;
    const waiting = Math.max(...line.map((way) => times.get(way)!.waiting));
    line.forEach((way, i) => {
      times.set(way, { ...times.get(way)!, waiting: (waiting * metres[i]) / all });
    });
  }
  return times;
}

/** Finds the ferries that each ferry continues as, at either end. */
function onBoard(ways: StreetWays, nodes: StreetNodes): Map<number, number[]> {
  const uses = new Uint32Array(nodes.count);
  for (const node of ways.refs) uses[node]++;
  const next = new Map<number, number[]>();
  const endingAt = new Map<number, number>();
  for (const [way, { waiting }] of ways.times ?? []) {
    if (waiting === 0) continue;
    next.set(way, []);
    for (const at of [ways.firstRef[way], ways.firstRef[way + 1] - 1]) {
      const node = ways.refs[at];
      const other = endingAt.get(node);
      endingAt.set(node, way);
      if (other === undefined || uses[node] !== 2) continue;
      next.get(way)!.push(other);
      next.get(other)!.push(way);
    }
  }
  return next;
}

function lengthOf({ refs, firstRef }: StreetWays, { lon, lat }: StreetNodes, way: number): Metres {
  let metres = 0;
  for (let i = firstRef[way] + 1; i < firstRef[way + 1]; i++) {
    const [a, b] = [refs[i - 1], refs[i]];
    metres += localDistance(lon[a], lat[a], lon[b], lat[b]);
  }
  return metres;
}
