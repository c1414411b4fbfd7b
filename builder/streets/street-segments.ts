import type Flatbush from 'flatbush';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../shards/geometry/wgs84.ts';
import type { Degrees, Metres } from '../../shards/units.ts';
import { segmentTree } from '../geo/segments.ts';
import type { StreetNetwork } from './network.ts';

const MM_PER_METRE = 1000;

/** The straight pieces of some edges, with a search for the one nearest to a point. */
export class StreetSegments {
  readonly #network: StreetNetwork;
  readonly #isLocal: Uint8Array;
  /** Spatial index of the segments; null if there are none. */
  readonly #tree: Flatbush | null;
  /** The edge of each segment in the tree, and the shape point where the segment starts. */
  readonly #edge: Uint32Array;
  readonly #point: Uint32Array;

  /** `isLocal`: per edge, 1 if trips may not pass through it. */
  constructor(network: StreetNetwork, isLocal: Uint8Array, includes: (edge: number) => boolean) {
    this.#network = network;
    this.#isLocal = isLocal;
    const edges: number[] = [];
    const points: number[] = [];
    for (let e = 0; e < network.edgeCount; e++) {
      if (!includes(e)) continue;
      for (let p = network.firstPoint[e]; p < network.firstPoint[e + 1] - 1; p++) {
        edges.push(e);
        points.push(p);
      }
    }
    this.#edge = Uint32Array.from(edges);
    this.#point = Uint32Array.from(points);
    this.#tree = segmentTree(points, network.pointLon, network.pointLat);
  }

  /**
   * Returns the permitted segment within a radius that is nearest when its detour is added, or
   * null. At equal distances, to the millimetre, a segment that is not local takes precedence, then
   * the one with the lowest number.
   */
  nearestWithin(
    lon: Degrees,
    lat: Degrees,
    radius: Metres,
    mayTake: (segment: NearestSegment) => boolean,
    detour: Detour,
  ): NearestSegment | null {
    let best: NearestSegment | null = null;
    let bestMm = Number.POSITIVE_INFINITY;
    for (const segment of this.#within(lon, lat, radius)) {
      // Most segments are too far away, even without a detour.
      if (Math.round(segment.distance * MM_PER_METRE) > bestMm) continue;
      const mm = Math.round((segment.distance + detour(segment.edge)) * MM_PER_METRE);
      const isNearer = best === null || (mm - bestMm || this.#order(segment, best)) < 0;
      if (!isNearer || !mayTake(segment)) continue;
      best = segment;
      bestMm = mm;
    }
    return best;
  }

  #order(a: NearestSegment, b: NearestSegment): number {
    return this.#isLocal[a.edge] - this.#isLocal[b.edge] || a.edge - b.edge || a.point - b.point;
  }

  *#within(lon: Degrees, lat: Degrees, radius: Metres): Generator<NearestSegment> {
    if (!this.#tree) return;
    const perLon = metresPerDegreeLon(lat);
    const perLat = metresPerDegreeLat(lat);
    const [dLon, dLat] = [radius / perLon, radius / perLat];
    const { pointLon, pointLat } = this.#network;
    for (const s of this.#tree.search(lon - dLon, lat - dLat, lon + dLon, lat + dLat)) {
      const edge = this.#edge[s];
      const point = this.#point[s];
      const ax = (pointLon[point] - lon) * perLon;
      const ay = (pointLat[point] - lat) * perLat;
      const dx = (pointLon[point + 1] - pointLon[point]) * perLon;
      const dy = (pointLat[point + 1] - pointLat[point]) * perLat;
      const squared = dx * dx + dy * dy;
      const t = squared === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / squared));
      const distance = Math.hypot(ax + t * dx, ay + t * dy);
      if (distance <= radius) yield { edge, point, t, distance };
    }
  }
}

/** Returns the metres by which an edge counts as farther away than it is. */
export type Detour = (edge: number) => Metres;

export interface NearestSegment {
  readonly edge: number;
  readonly point: number;
  /** Position on the segment, from 0 at its first point to 1. */
  readonly t: number;
  readonly distance: Metres;
}
