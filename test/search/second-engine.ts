import type { Position } from '../../shards/geometry/polygon.ts';
import { readWithOsmium } from '../osm/opl.ts';

/**
 * An independent walking engine as a reference for ours: elements as osmium reads them, a restated
 * pedestrian profile, great-circle lengths, Dijkstra from node to node. Slow, and shares no code
 * with the builder.
 */
const WALKED = new Set([
  'primary',
  'primary_link',
  'secondary',
  'secondary_link',
  'tertiary',
  'tertiary_link',
  'unclassified',
  'residential',
  'road',
  'living_street',
  'service',
  'track',
  'path',
  'steps',
  'pedestrian',
  'footway',
  'cycleway',
  'trunk',
  'trunk_link',
]);
const CLOSED = ['no', 'private', 'destination', 'customers', 'delivery'];
const OPEN = ['yes', 'designated', 'permissive'];
const EARTH_METRES = 6_371_008.8;
const METRES_PER_MS = 4.8 / 3600;
/** Minimum number of nodes in a connected part of the map for points to be linked to it. */
const MIN_NODES = 60;

/** A straight piece between two nodes, which are numbered in the order in which ways name them. */
interface Piece {
  readonly a: number;
  readonly b: number;
  readonly metres: number;
}
interface Foot {
  readonly piece: Piece;
  /** The share of the piece before the foot. */
  readonly t: number;
  readonly metres: number;
}

export class SecondEngine {
  /** Position of each node. */
  readonly #at: Position[] = [];
  readonly #neighbours: { to: number; metres: number }[][] = [];
  /** Pieces of connected parts of the map that are large enough. */
  readonly #pieces: readonly Piece[];

  constructor(pbf: string) {
    const elements = readWithOsmium(pbf);
    const mapped = new Map<number, Position>();
    for (const { type, id, lon, lat } of elements) {
      if (type === 'node') mapped.set(id, [Number(lon), Number(lat)]);
    }
    const numbers = new Map<number, number>();
    const pieces: Piece[] = [];
    for (const { type, tags, refs } of elements) {
      if (type !== 'way' || !WALKED.has(tags.get('highway') ?? '')) continue;
      const foot = tags.get('foot') ?? '';
      const isClosed = CLOSED.includes(tags.get('access') ?? '') && !OPEN.includes(foot);
      if (CLOSED.includes(foot) || isClosed) continue;
      const nodes = refs!.flatMap((ref) => {
        const at = mapped.get(ref);
        if (!at) return [];
        const number = numbers.get(ref) ?? this.#at.push(at) - 1;
        numbers.set(ref, number);
        return number;
      });
      for (let i = 1; i < nodes.length; i++) pieces.push(this.#connect(nodes[i - 1], nodes[i]));
    }
    const mainland = this.#mainland();
    this.#pieces = pieces.filter((piece) => mainland.has(piece.a));
  }

  /** Milliseconds from each origin to every point; beyond `limitMs`, an upper bound or Infinity. */
  times(points: readonly Position[], origins: readonly number[], limitMs: number): number[][] {
    const feet = this.#feet(points);
    return origins.map((origin) => {
      const from = feet[origin];
      const metres = this.#dijkstra(from, limitMs * METRES_PER_MS);
      return feet.map((to) => {
        const { a, b, metres: length } = to.piece;
        const viaA = metres[a] + to.t * length;
        const viaB = metres[b] + (1 - to.t) * length;
        const along =
          to.piece === from.piece ? from.metres + Math.abs(to.t - from.t) * length : Infinity;
        return (Math.min(viaA, viaB, along) + to.metres) / METRES_PER_MS;
      });
    });
  }

  /** Metres from each point to the street that it is linked to. */
  metresToStreet(points: readonly Position[]): number[] {
    return this.#feet(points).map(({ metres }) => metres);
  }

  #feet(points: readonly Position[]): Foot[] {
    return points.map((point) => this.#nearest(point));
  }

  #connect(a: number, b: number): Piece {
    const metres = greatCircle(this.#at[a], this.#at[b]);
    for (const [from, to] of [
      [a, b],
      [b, a],
    ]) {
      this.#neighbours[from] ??= [];
      this.#neighbours[from].push({ to, metres });
    }
    return { a, b, metres };
  }

  /** Nodes of connected parts of the map that are large enough. */
  #mainland(): Set<number> {
    const kept = new Set<number>();
    const seen = new Set<number>();
    for (const start of this.#at.keys()) {
      if (seen.has(start)) continue;
      const piece = [start];
      seen.add(start);
      for (const node of piece) {
        for (const { to } of this.#neighbours[node] ?? []) {
          if (seen.has(to)) continue;
          seen.add(to);
          piece.push(to);
        }
      }
      if (piece.length >= MIN_NODES) for (const node of piece) kept.add(node);
    }
    return kept;
  }

  #nearest([lon, lat]: Position): Foot {
    const perLat = (EARTH_METRES * Math.PI) / 180;
    const perLon = perLat * Math.cos((lat * Math.PI) / 180);
    let best: Foot | null = null;
    for (const piece of this.#pieces) {
      const [[lonA, latA], [lonB, latB]] = [this.#at[piece.a], this.#at[piece.b]];
      const [ax, ay] = [(lonA - lon) * perLon, (latA - lat) * perLat];
      const [dx, dy] = [(lonB - lonA) * perLon, (latB - latA) * perLat];
      // Most pieces are too far north or south.
      if (best && Math.abs(ay) - Math.abs(dy) > best.metres) continue;
      const squared = dx * dx + dy * dy;
      const t = squared === 0 ? 0 : Math.max(0, Math.min(1, -(ax * dx + ay * dy) / squared));
      const metres = Math.hypot(ax + t * dx, ay + t * dy);
      if (!best || metres < best.metres) best = { piece, t, metres };
    }
    return best!;
  }

  /** Metres to each node; beyond the limit, an upper bound or Infinity. */
  #dijkstra(from: Foot, limit: number): Float64Array {
    const metres = new Float64Array(this.#at.length).fill(Infinity);
    const settled = new Float64Array(this.#at.length).fill(Infinity);
    const { a, b, metres: length } = from.piece;
    metres[a] = from.metres + from.t * length;
    metres[b] = Math.min(metres[b], from.metres + (1 - from.t) * length);
    // Buckets of a metre. Labels in a bucket settle in any order, and again if they improve.
    const buckets: number[][] = [];
    const put = (node: number) => {
      const bucket = Math.floor(metres[node]);
      buckets[bucket] ??= [];
      buckets[bucket].push(node);
    };
    put(a);
    put(b);
    for (let bucket = 0; bucket <= limit; bucket++) {
      for (const node of buckets[bucket] ?? []) {
        const label = metres[node];
        if (settled[node] === label) continue;
        settled[node] = label;
        for (const { to, metres: step } of this.#neighbours[node]) {
          if (label + step >= metres[to]) continue;
          metres[to] = label + step;
          put(to);
        }
      }
    }
    return metres;
  }
}

function greatCircle([lonA, latA]: Position, [lonB, latB]: Position): number {
  const [phiA, phiB] = [latA, latB].map((lat) => (lat * Math.PI) / 180);
  const half = Math.sin((phiB - phiA) / 2) ** 2;
  const across = Math.sin((((lonB - lonA) / 2) * Math.PI) / 180) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.sqrt(half + Math.cos(phiA) * Math.cos(phiB) * across));
}
