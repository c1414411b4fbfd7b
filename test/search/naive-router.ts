import type { StreetNodes, StreetWays } from '../../builder/streets/street-ways.ts';

/**
 * Times between points on streets, computed the slow and obvious way: every node of every way is a
 * vertex, components come from repeated flooding, the nearest segment from looking at all, and times
 * from Bellman and Ford's relaxation until nothing changes. Shares no code with the builder; the
 * numbers of the model are stated anew.
 */
const WALK = 4.8 / 3.6;
const RIDE = 15 / 3.6;
const LEAST_VERTICES = 40;

interface Segment {
  readonly way: number;
  readonly a: number;
  readonly b: number;
  /** Milliseconds from a to b and back; Infinity where not allowed. */
  there: number;
  back: number;
}

/** Milliseconds [origin][target]; null for points that cannot be linked. */
export function naiveTimes(
  ways: StreetWays,
  nodes: StreetNodes,
  mode: 'walk' | 'bike',
  points: readonly { lon: number; lat: number }[],
): (number[] | null)[] {
  const segments = usableSegments(ways, nodes, mode);
  const snaps = points.map((point) => snap(segments, nodes, point));
  return snaps.map((from) => {
    if (!from) return null;
    const label = new Array<number>(nodes.count).fill(Infinity);
    label[from.segment.a] = from.walk + from.t * from.segment.back;
    label[from.segment.b] = from.walk + (1 - from.t) * from.segment.there;
    for (let changed = true; changed; ) {
      changed = false;
      for (const { a, b, there, back } of segments) {
        if (label[a] + there < label[b]) {
          label[b] = label[a] + there;
          changed = true;
        }
        if (label[b] + back < label[a]) {
          label[a] = label[b] + back;
          changed = true;
        }
      }
    }
    return snaps.map((to) => {
      if (!to) return Infinity;
      const viaA = label[to.segment.a] + to.t * to.segment.there;
      const viaB = label[to.segment.b] + (1 - to.t) * to.segment.back;
      let best = Math.min(viaA, viaB) + to.walk;
      if (to.segment === from.segment) {
        const ahead = to.t >= from.t ? to.segment.there : to.segment.back;
        best = Math.min(best, from.walk + Math.abs(to.t - from.t) * ahead + to.walk);
      }
      return best;
    });
  });
}

function usableSegments(ways: StreetWays, nodes: StreetNodes, mode: 'walk' | 'bike'): Segment[] {
  const segments: Segment[] = [];
  const uses = new Map<number, number>();
  for (let w = 0; w < ways.count; w++) {
    const bits = ways.traits[w];
    const price = (walkBit: number, rideBit: number, metres: number) => {
      const calm = bits >> 5 <= 3;
      if (mode === 'bike' && calm && bits & rideBit) return (metres / RIDE) * 1000;
      return bits & walkBit ? (metres / WALK) * 1000 : Infinity;
    };
    for (let i = ways.firstRef[w]; i < ways.firstRef[w + 1]; i++) {
      const node = ways.refs[i];
      const isEnd = i === ways.firstRef[w] || i === ways.firstRef[w + 1] - 1;
      uses.set(node, (uses.get(node) ?? 0) + (isEnd ? 2 : 1));
      if (i === ways.firstRef[w]) continue;
      const [a, b] = [ways.refs[i - 1], node];
      const metres = distance(nodes.lon[a], nodes.lat[a], nodes.lon[b], nodes.lat[b]);
      const segment = { way: w, a, b, there: price(1, 4, metres), back: price(2, 8, metres) };
      if (segment.there < Infinity || segment.back < Infinity) segments.push(segment);
    }
  }
  const isCrossing = (node: number) => (uses.get(node) ?? 0) > 1;
  // Vertices that reach each other, by flooding forward and backward from each.
  const flood = (start: number, reverse: boolean) => {
    const seen = new Set([start]);
    for (let grown = true; grown; ) {
      grown = false;
      for (const { a, b, there, back } of segments) {
        const [forward, backward] = reverse ? [back, there] : [there, back];
        if (forward < Infinity && seen.has(a) && !seen.has(b)) grown = !!seen.add(b);
        if (backward < Infinity && seen.has(b) && !seen.has(a)) grown = !!seen.add(a);
      }
    }
    return seen;
  };
  const kept = new Set<number>();
  const decided = new Set<number>();
  for (const { a } of segments) {
    if (decided.has(a)) continue;
    const [there, back] = [flood(a, false), flood(a, true)];
    const component = [...there].filter((node) => back.has(node));
    const vertices = component.filter(isCrossing).length;
    for (const node of component) {
      decided.add(node);
      if (vertices >= LEAST_VERTICES) kept.add(node);
    }
  }
  // A piece between two crossings goes as one: what touches a cut-off crossing is cut off.
  const pieceOf = pieces(segments, isCrossing);
  const cut = new Set<number>();
  segments.forEach(({ a, b }, i) => {
    if ((isCrossing(a) && !kept.has(a)) || (isCrossing(b) && !kept.has(b))) cut.add(pieceOf[i]);
  });
  return segments.filter((_, i) => !cut.has(pieceOf[i]));
}

/** Numbers the runs of a way's segments between crossings. Segments come way by way, in order. */
function pieces(segments: readonly Segment[], isCrossing: (node: number) => boolean): number[] {
  let piece = 0;
  return segments.map(({ way, a }, i) => {
    const previous = segments[i - 1];
    if (!previous || previous.way !== way || previous.b !== a || isCrossing(a)) piece++;
    return piece;
  });
}

function snap(
  segments: readonly Segment[],
  nodes: StreetNodes,
  { lon, lat }: { lon: number; lat: number },
) {
  let best: { segment: Segment; t: number; metres: number } | null = null;
  for (const segment of segments) {
    if (segment.there === Infinity || segment.back === Infinity) continue;
    const kx = distance(lon - 0.5, lat, lon + 0.5, lat);
    const ky = distance(lon, lat - 0.001, lon, lat + 0.001) / 0.002;
    const ax = (nodes.lon[segment.a] - lon) * kx;
    const ay = (nodes.lat[segment.a] - lat) * ky;
    const bx = (nodes.lon[segment.b] - lon) * kx;
    const by = (nodes.lat[segment.b] - lat) * ky;
    const dot = -(ax * (bx - ax) + ay * (by - ay));
    const t = Math.max(0, Math.min(1, dot / ((bx - ax) ** 2 + (by - ay) ** 2)));
    const metres = Math.hypot(ax + t * (bx - ax), ay + t * (by - ay));
    if (!best || metres < best.metres) best = { segment, t, metres };
  }
  if (!best || best.metres > 1600) return null;
  return { ...best, walk: (best.metres / WALK) * 1000 };
}

/** Metres on the WGS84 ellipsoid near a latitude, by the usual series in cosines. */
function distance(lonA: number, latA: number, lonB: number, latB: number): number {
  const phi = (((latA + latB) / 2) * Math.PI) / 180;
  const perLat = 111_132.954 - 559.822 * Math.cos(2 * phi) + 1.175 * Math.cos(4 * phi);
  const perLon = 111_412.84 * Math.cos(phi) - 93.5 * Math.cos(3 * phi) + 0.118 * Math.cos(5 * phi);
  return Math.hypot((lonB - lonA) * perLon, (latB - latA) * perLat);
}
