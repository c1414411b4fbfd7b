import {
  LIMITS_RIDE,
  LIMITS_WALK,
  SIGNAL,
  SIGNAL_OF_CROSSING,
  STOPS_RIDE,
  STOPS_WALK,
} from '../../builder/streets/node-traits.ts';
import type { StreetNodes, StreetWays } from '../../builder/streets/street-ways.ts';

/**
 * Times between points on streets, computed by brute force: every node of every way is a vertex,
 * components come from repeated flooding, the nearest segment from checking all of them, and times
 * from Bellman-Ford relaxation until nothing changes. Shares no code with the builder; the model's
 * constants are restated independently.
 */
const WALK = 4.8 / 3.6;
const RIDE = 15 / 3.6;
const MIN_VERTICES = 40;
/** Milliseconds to push a bicycle through a barrier. */
const DISMOUNT = 10_000;
/** Extra distance in metres added to streets where trips seldom begin. */
const DETOUR = 50;
/** Zero-length ways through barriers are numbered downwards from here. */
const GATE = -1;

interface Segment {
  readonly way: number;
  readonly a: number;
  readonly b: number;
  /** Milliseconds from a to b and back; Infinity where not allowed. */
  there: number;
  back: number;
  /** Trips may begin and end on the segment, but not pass through. */
  isLocal: boolean;
  /** Bicycles are ridden on the segment, in at least one direction. */
  readonly isRidden: boolean;
  /** Extra distance in metres for trips that begin or end here. */
  detour: number;
  /** The crossings before and after the segment. */
  readonly ends: readonly [number, number];
}

/** The streets available to a mode, for queries between points. */
export interface NaiveStreets {
  readonly segments: readonly Segment[];
  readonly places: readonly Place[];
  readonly east: number;
}

/** Builds the streets of a mode. `east` is the longitude where the street data ends. */
export function naiveStreets(
  ways: StreetWays,
  nodes: StreetNodes,
  mode: 'walk' | 'bike',
  east = Infinity,
): NaiveStreets {
  const sides = withSides(ways, nodes);
  return { segments: usableSegments(sides, mode, east), places: sides.places, east };
}

/** Milliseconds by origin, then by target; null for an origin that cannot be linked. */
export function naiveTimes(
  { segments, places, east }: NaiveStreets,
  points: readonly Point[],
): (number[] | null)[] {
  const snaps = points.map((point) => (point.lon > east ? [] : snapsOf(segments, places, point)));
  const minOf = (rows: readonly number[][]) =>
    snaps.map((_, to) => Math.min(...rows.map((row) => row[to])));
  return snaps.map((from) => (from.length === 0 ? null : minOf(from.map(timesFrom))));

  function timesFrom(from: Snap): number[] {
    // A trip has a first leg on local streets, then public ones, then a last leg on local ones.
    const [first, middle, last] = [0, 1, 2].map(() =>
      new Array<number>(places.length).fill(Infinity),
    );
    const begun = from.segment.isLocal ? first : middle;
    begun[from.segment.a] = from.walk + from.t * from.segment.back;
    begun[from.segment.b] = from.walk + (1 - from.t) * from.segment.there;
    for (let changed = true; changed; ) {
      changed = false;
      const lower = (label: number[], node: number, time: number) => {
        if (time >= label[node]) return;
        label[node] = time;
        changed = true;
      };
      for (const { a, b, there, back, isLocal } of segments) {
        for (const label of isLocal ? [first, last] : [middle]) {
          lower(label, b, label[a] + there);
          lower(label, a, label[b] + back);
        }
        for (const node of [a, b]) {
          lower(middle, node, first[node]);
          lower(last, node, middle[node]);
        }
      }
    }
    const timeTo = (to: Snap) => {
      const { a, b, there, back, isLocal } = to.segment;
      const ends = (isLocal ? [first, last] : [middle]).flatMap((label) => [
        label[a] + to.t * there,
        label[b] + (1 - to.t) * back,
      ]);
      let best = Math.min(...ends) + to.walk;
      if (to.segment === from.segment) {
        const ahead = to.t >= from.t ? there : back;
        best = Math.min(best, from.walk + Math.abs(to.t - from.t) * ahead + to.walk);
      }
      return best;
    };
    return snaps.map((to) => Math.min(...to.map(timeTo)));
  }
}

interface Point {
  readonly lon: number;
  readonly lat: number;
}

interface Place extends Point {
  readonly hasSignal: boolean;
}

/**
 * The points that are clearly nearer to one spot on the streets than to any other. Between spots
 * at distances equal to the millimetre, rounding would decide.
 */
export function clearlyTied({ segments, places }: NaiveStreets, points: readonly Point[]): Point[] {
  return points.filter((point) =>
    snapsOf(segments, places, point).every((snap, i) => {
      const spot = spotOf(snap, places);
      return segments.every((segment) => {
        if (segment.way <= GATE || (i > 0 && !segment.isRidden)) return true;
        if (segment.there === Infinity || segment.back === Infinity) return true;
        const { t, metres } = distanceToLine(point, places[segment.a], places[segment.b]);
        const counted = metres + (i > 0 ? 0 : segment.detour);
        const isOther = apart(spot, spotOf({ segment, t }, places)) > 0.05;
        return !isOther || Math.abs(counted - snap.counted) > 0.002;
      });
    }),
  );
}

function spotOf({ segment, t }: Pick<Snap, 'segment' | 't'>, places: readonly Place[]): Point {
  const [a, b] = [places[segment.a], places[segment.b]];
  return { lon: a.lon + t * (b.lon - a.lon), lat: a.lat + t * (b.lat - a.lat) };
}

/**
 * Ways cut at every barrier, with a vertex of its own for each end there, and the connections
 * through the barriers between each pair of such vertices.
 */
interface Sides {
  readonly ways: readonly { bits: number; refs: readonly number[] }[];
  readonly places: readonly Place[];
  readonly gates: readonly { a: number; b: number; bits: number }[];
}

function withSides({ count, traits, firstRef, refs }: StreetWays, nodes: StreetNodes): Sides {
  const ways: { bits: number; refs: number[] }[] = [];
  const gates: { a: number; b: number; bits: number }[] = [];
  const places = Array.from({ length: nodes.count }, (_, node) => ({
    lon: nodes.lon[node],
    lat: nodes.lat[node],
    hasSignal: (nodes.traits[node] & SIGNAL) !== 0,
  }));
  const sidesAt = new Map<number, number[]>();
  const isBarrier = (node: number) => (nodes.traits[node] & ~(SIGNAL | SIGNAL_OF_CROSSING)) !== 0;
  const sideOf = (node: number) => {
    if (!isBarrier(node)) return node;
    const side = places.push(places[node]) - 1;
    const others = sidesAt.get(node) ?? [];
    for (const other of others) gates.push({ a: other, b: side, bits: nodes.traits[node] });
    sidesAt.set(node, [...others, side]);
    return side;
  };
  for (let w = 0; w < count; w++) {
    let piece: number[] = [];
    const whole = [...refs.subarray(firstRef[w], firstRef[w + 1])];
    whole.forEach((node, i) => {
      piece.push(sideOf(node));
      const isLast = i === whole.length - 1;
      if (i === 0 || (!isLast && !isBarrier(node))) return;
      ways.push({ bits: traits[w], refs: piece });
      if (!isLast) piece = [sideOf(node)];
    });
  }
  return { ways, places, gates };
}

function usableSegments(
  { ways, places, gates }: Sides,
  mode: 'walk' | 'bike',
  east: number,
): Segment[] {
  const segments: Segment[] = [];
  const uses = new Map<number, number>();
  for (const { refs } of ways) {
    refs.forEach((node, i) => {
      const isEnd = i === 0 || i === refs.length - 1;
      uses.set(node, (uses.get(node) ?? 0) + (isEnd ? 2 : 1));
    });
  }
  const isCrossing = (node: number) => (uses.get(node) ?? 0) > 1;
  // The worst stress that meets at each crossing without a signal, for streets with and without
  // tracks.
  const worst = places.map(() => ({ beside: 0, elsewhere: 0 }));
  for (const { bits, refs } of ways) {
    const stress = Math.max((bits >> 5) & 7, (bits >> 8) & 7);
    const kind = (bits >> 18) & 3 ? 'beside' : 'elsewhere';
    for (const node of refs) {
      if (!places[node].hasSignal) worst[node][kind] = Math.max(worst[node][kind], stress);
    }
  }
  const calm = ways.filter(({ bits }) => {
    const stress = Math.max((bits >> 5) & 7, (bits >> 8) & 7);
    return stress === 1 && bits & 12 && (bits & (1 << 13)) === 0 && ((bits >> 20) & 3) === 0;
  });
  ways.forEach(({ bits: tagged, refs }, way) => {
    for (let i = 1; i < refs.length; i++) {
      const [a, b] = [refs[i - 1], refs[i]];
      const before = refs.slice(0, i).findLast(isCrossing)!;
      const after = refs.slice(i).find(isCrossing)!;
      const [first, last] = [refs.lastIndexOf(before, i - 1), refs.indexOf(after, i)];
      const sent = ((tagged >> 20) & 3) << 2;
      const piece = refs.slice(first, last + 1);
      const bits = sent && hasPathBeside(piece, calm, places) ? tagged & ~sent : tagged;
      const elsewhere = Math.max(worst[before].elsewhere, worst[after].elsewhere);
      const anywhere = Math.max(elsewhere, worst[before].beside, worst[after].beside);
      const metres = distance(places[a].lon, places[a].lat, places[b].lon, places[b].lat);
      const mayWalkThrough = (bits & 3) !== 0 && (bits & (1 << 12)) === 0;
      const mayRideThrough = mode === 'bike' && (bits & 12) !== 0 && (bits & (1 << 13)) === 0;
      const isLocal = !mayWalkThrough && !mayRideThrough;
      const isRidden = (rideBit: number, stress: number) => {
        const hasTrack = ((bits >> 18) & (rideBit >> 2)) !== 0;
        const calm = hasTrack ? elsewhere <= 3 : stress <= 3 && anywhere <= 3;
        return mode === 'bike' && (isLocal || mayRideThrough) && calm && (bits & rideBit) !== 0;
      };
      const price = (walkBit: number, rideBit: number, stress: number) => {
        if (isRidden(rideBit, stress)) return (metres / RIDE) * 1000;
        const walked = (isLocal || mayWalkThrough) && bits & walkBit;
        return walked ? (metres / WALK) * 1000 : Infinity;
      };
      const [stressThere, stressBack] = [(bits >> 5) & 7, (bits >> 8) & 7];
      const there = price(1, 4, stressThere);
      const back = price(2, 8, stressBack);
      if (there < Infinity || back < Infinity) {
        const ridden = isRidden(4, stressThere) || isRidden(8, stressBack);
        const detour = bits & (1 << 22) ? DETOUR : 0;
        const ends = [before, after] as const;
        segments.push({ way, a, b, there, back, isLocal, isRidden: ridden, detour, ends });
      }
    }
  });
  gates.forEach(({ a, b, bits }, i) => {
    const isPushed = mode === 'bike' && (bits & STOPS_RIDE) !== 0;
    const mayWalk = (bits & STOPS_WALK) === 0;
    const mayRide = mode === 'bike' && !isPushed;
    if (!mayWalk && !mayRide) return;
    const passesOnFoot = mayWalk && (bits & LIMITS_WALK) === 0;
    const isLocal = !passesOnFoot && !(mayRide && (bits & LIMITS_RIDE) === 0);
    const time = isPushed ? DISMOUNT : 0;
    const times = { there: time, back: time };
    const kind = { isRidden: false, detour: 0, ends: [a, b] as const };
    segments.push({ way: GATE - i, a, b, ...times, isLocal, ...kind });
  });
  // Vertices that reach each other, by flooding forward and backward from each.
  const flood = (start: number, reverse: boolean, among: readonly Segment[]) => {
    const seen = new Set([start]);
    for (let grown = true; grown; ) {
      grown = false;
      for (const { a, b, there, back } of among) {
        const [forward, backward] = reverse ? [back, there] : [there, back];
        if (forward < Infinity && seen.has(a) && !seen.has(b)) grown = !!seen.add(b);
        if (backward < Infinity && seen.has(b) && !seen.has(a)) grown = !!seen.add(a);
      }
    }
    return seen;
  };
  const parts = (among: readonly Segment[]) => {
    const found: { nodes: number[]; vertices: number; counted: number }[] = [];
    const decided = new Set<number>();
    for (const start of among.flatMap(({ a, b }) => [a, b])) {
      if (decided.has(start)) continue;
      const [there, back] = [flood(start, false, among), flood(start, true, among)];
      const nodes = [...there].filter((node) => back.has(node));
      for (const node of nodes) decided.add(node);
      const isCounted = (node: number) => isCrossing(node) && places[node].lon <= east;
      found.push({
        nodes,
        vertices: nodes.filter(isCrossing).length,
        counted: nodes.filter(isCounted).length,
      });
    }
    return found;
  };
  // A piece between two crossings counts as a whole: it is outside if either crossing is not
  // among those kept.
  const piecesOutside = (all: readonly Segment[], kept: ReadonlySet<number>) => {
    const pieceOf = pieces(all, isCrossing);
    const outside = new Set<number>();
    all.forEach(({ a, b }, i) => {
      const isOut = (node: number) => isCrossing(node) && !kept.has(node);
      if (isOut(a) || isOut(b)) outside.add(pieceOf[i]);
    });
    return all.filter((_, i) => outside.has(pieceOf[i]));
  };
  const large = parts(segments).filter(({ counted }) => counted >= MIN_VERTICES);
  const cut = new Set(piecesOutside(segments, new Set(large.flatMap(({ nodes }) => nodes))));
  const open = segments.filter((segment) => !cut.has(segment));
  // Nothing beyond the end of the street data counts, nor a part connected only through there.
  const isIn = (node: number) => places[node].lon <= east;
  const within = parts(open.filter(({ ends }) => ends.every(isIn)));
  const whole = new Set(
    within.filter(({ vertices }) => vertices >= MIN_VERTICES).flatMap(({ nodes }) => nodes),
  );
  for (const segment of open)
    if (!segment.ends.some((end) => whole.has(end))) segment.detour = DETOUR;
  // The largest public piece of each part stays public; other public pieces lie behind a gate.
  const publicParts = parts(open.filter(({ isLocal }) => !isLocal));
  const largest = large.flatMap(({ nodes }) => {
    const inside = new Set(nodes);
    const within = publicParts.filter((part) => inside.has(part.nodes[0]));
    return within.sort((a, b) => b.vertices - a.vertices)[0]?.nodes ?? [];
  });
  for (const segment of piecesOutside(open, new Set(largest))) segment.isLocal = true;
  return open;
}

/**
 * Whether a calm way lies within 30 m of the midpoint of a piece, and within 30° of its direction.
 */
function hasPathBeside(piece: readonly number[], calm: Sides['ways'], places: readonly Place[]) {
  const metres = piece.slice(1).map((node, i) => apart(places[piece[i]], places[node]));
  const upTo = metres.map((_, i) => metres.slice(0, i + 1).reduce((sum, step) => sum + step, 0));
  const half = upTo[upTo.length - 1] / 2;
  const at = upTo.findIndex((end) => end >= half);
  const t = 1 - (upTo[at] - half) / metres[at];
  const [from, to] = [places[piece[at]], places[piece[at + 1]]];
  const lon = from.lon + t * (to.lon - from.lon);
  const lat = from.lat + t * (to.lat - from.lat);
  return calm.some(({ refs }) =>
    refs.slice(1).some((node, i) => {
      const [p, q] = [places[refs[i]], places[node]];
      const turn = Math.abs(heading(p, q) - heading(from, to)) % 180;
      const isAlong = Math.min(turn, 180 - turn) <= 30;
      return isAlong && distanceToLine({ lon, lat }, p, q).metres <= 30;
    }),
  );
}

function apart(a: Point, b: Point): number {
  return distance(a.lon, a.lat, b.lon, b.lat);
}

/** Direction from one point to another, in degrees to the left of east. */
function heading(from: Point, to: Point): number {
  const east = Math.sign(to.lon - from.lon) * distance(from.lon, from.lat, to.lon, from.lat);
  const north = Math.sign(to.lat - from.lat) * distance(from.lon, from.lat, from.lon, to.lat);
  return (Math.atan2(north, east) * 180) / Math.PI;
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

function snapsOf(segments: readonly Segment[], places: readonly Place[], point: Point) {
  const streets = segments.filter(({ way }) => way > GATE);
  const ridden = streets.filter(({ isRidden }) => isRidden);
  const tied = nearest(streets, places, point, ({ detour }) => detour);
  const toRide = nearest(ridden, places, point, () => 0);
  return [tied, toRide && toRide.metres <= 300 ? toRide : null].filter((found) => found !== null);
}

interface Snap {
  readonly segment: Segment;
  readonly t: number;
  /** Milliseconds on foot between the point and the street. */
  readonly walk: number;
  /** Metres off the street, plus those of a detour. */
  readonly counted: number;
}

function nearest(
  segments: readonly Segment[],
  places: readonly Place[],
  point: Point,
  detourOf: (segment: Segment) => number,
) {
  let best: { segment: Segment; t: number; metres: number; counted: number } | null = null;
  for (const segment of segments) {
    if (segment.there === Infinity || segment.back === Infinity) continue;
    const { t, metres } = distanceToLine(point, places[segment.a], places[segment.b]);
    const counted = metres + detourOf(segment);
    const nearer = best ? Math.round(counted * 1000) - Math.round(best.counted * 1000) : -1;
    // If a local and a public street share the nearest spot, the public one counts.
    const isPublicOfTwo = nearer === 0 && !segment.isLocal && best?.segment.isLocal;
    if (nearer < 0 || isPublicOfTwo) best = { segment, t, metres, counted };
  }
  if (!best || best.metres > 1600) return null;
  return { ...best, walk: (best.metres / WALK) * 1000 };
}

/**
 * Metres from a point to the line between two others, and the position of the nearest spot along
 * it.
 */
function distanceToLine({ lon, lat }: Point, a: Point, b: Point): { t: number; metres: number } {
  const kx = distance(lon - 0.5, lat, lon + 0.5, lat);
  const ky = distance(lon, lat - 0.001, lon, lat + 0.001) / 0.002;
  const [ax, ay] = [(a.lon - lon) * kx, (a.lat - lat) * ky];
  const [bx, by] = [(b.lon - lon) * kx, (b.lat - lat) * ky];
  const dot = -(ax * (bx - ax) + ay * (by - ay));
  const t = Math.max(0, Math.min(1, dot / ((bx - ax) ** 2 + (by - ay) ** 2)));
  return { t, metres: Math.hypot(ax + t * (bx - ax), ay + t * (by - ay)) };
}

/** Metres on the WGS84 ellipsoid near a latitude, by the usual series in cosines. */
function distance(lonA: number, latA: number, lonB: number, latB: number): number {
  const phi = (((latA + latB) / 2) * Math.PI) / 180;
  const perLat = 111_132.954 - 559.822 * Math.cos(2 * phi) + 1.175 * Math.cos(4 * phi);
  const perLon = 111_412.84 * Math.cos(phi) - 93.5 * Math.cos(3 * phi) + 0.118 * Math.cos(5 * phi);
  return Math.hypot((lonB - lonA) * perLon, (latB - latA) * perLat);
}
