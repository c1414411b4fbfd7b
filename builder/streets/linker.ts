import Flatbush from 'flatbush';
import {
  boxContains,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../shards/geometry/wgs84.ts';
import type { LinkStatus } from '../../shards/index/block-index.ts';
import type { BoundingBox, Degrees, Metres } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import { CLOSED, type ModeCosts } from './mode-costs.ts';
import type { ModeGraph } from './mode-graph.ts';
import type { StreetNetwork } from './network.ts';
import { NO_LINKING } from './traits.ts';

/** A point tied to the streets of a mode: a place on a chain, and the way to it off the street. */
export interface Link {
  readonly chain: number;
  /** Milliseconds along the chain from its `a` to the place, and from the place back to `a`. */
  readonly along: number;
  readonly alongBack: number;
  /** Milliseconds between the point and the place, walked straight. */
  readonly offStreet: number;
  readonly snap: Metres;
}

/**
 * Ties points to the nearest edge that a mode may use in both directions, within 300 m, else
 * 1,600 m; of two as near, the one with the lower number. Tunnels do not count.
 */
export class Linker {
  readonly #network: StreetNetwork;
  readonly #costs: ModeCosts;
  readonly #graph: ModeGraph;
  readonly #coverage: BoundingBox | null;
  /** Null when there is no edge to link to. */
  readonly #tree: Flatbush | null;
  /** The edge of each segment in the tree, and the shape point the segment starts at. */
  readonly #segmentEdge: Uint32Array;
  readonly #segmentPoint: Uint32Array;

  /** `coverage`: where the street data claims to be complete; null when it does not say. */
  constructor(
    network: StreetNetwork,
    costs: ModeCosts,
    graph: ModeGraph,
    coverage: BoundingBox | null,
  ) {
    this.#network = network;
    this.#costs = costs;
    this.#graph = graph;
    this.#coverage = coverage;
    const edges: number[] = [];
    const points: number[] = [];
    for (let e = 0; e < network.edgeCount; e++) {
      if (costs.forward[e] === CLOSED || costs.backward[e] === CLOSED) continue;
      if (network.traits[e] & NO_LINKING) continue;
      for (let p = network.firstPoint[e]; p < network.firstPoint[e + 1] - 1; p++) {
        edges.push(e);
        points.push(p);
      }
    }
    this.#segmentEdge = Uint32Array.from(edges);
    this.#segmentPoint = Uint32Array.from(points);
    this.#tree = points.length === 0 ? null : new Flatbush(points.length);
    const { pointLon: lon, pointLat: lat } = network;
    for (const p of points) {
      this.#tree!.add(
        Math.min(lon[p], lon[p + 1]),
        Math.min(lat[p], lat[p + 1]),
        Math.max(lon[p], lon[p + 1]),
        Math.max(lat[p], lat[p + 1]),
      );
    }
    this.#tree?.finish();
  }

  link(lon: Degrees, lat: Degrees): Link | Exclude<LinkStatus, 'linked'> {
    if (this.#coverage && !boxContains(this.#coverage, lon, lat)) return 'outside-street-data';
    // Most points lie beside a street: small boxes first, the two radii of the definition last.
    for (const radius of [30, 100, ...ROUTING.linkRadii]) {
      const nearest = this.#nearestWithin(lon, lat, radius);
      if (nearest && nearest.distance <= radius) return this.#place(nearest);
    }
    return 'no-street-near';
  }

  #nearestWithin(lon: Degrees, lat: Degrees, radius: Metres): Nearest | null {
    if (!this.#tree) return null;
    const perLon = metresPerDegreeLon(lat);
    const perLat = metresPerDegreeLat(lat);
    const [dLon, dLat] = [radius / perLon, radius / perLat];
    const { pointLon, pointLat } = this.#network;
    let best: Nearest | null = null;
    for (const s of this.#tree.search(lon - dLon, lat - dLat, lon + dLon, lat + dLat)) {
      const edge = this.#segmentEdge[s];
      const point = this.#segmentPoint[s];
      const ax = (pointLon[point] - lon) * perLon;
      const ay = (pointLat[point] - lat) * perLat;
      const dx = (pointLon[point + 1] - pointLon[point]) * perLon;
      const dy = (pointLat[point + 1] - pointLat[point]) * perLat;
      const squared = dx * dx + dy * dy;
      const t = squared === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / squared));
      const distance = Math.hypot(ax + t * dx, ay + t * dy);
      const nearer =
        best === null ||
        distance < best.distance ||
        (distance === best.distance &&
          (edge < best.edge || (edge === best.edge && point < best.point)));
      if (nearer) best = { edge, point, t, distance };
    }
    return best;
  }

  #place({ edge, point, t, distance }: Nearest): Link {
    const { chains } = this.#graph;
    const fraction = this.#fractionAlong(edge, point, t);
    const flipped = chains.reversed[edge] === 1;
    const there = flipped ? this.#costs.backward[edge] : this.#costs.forward[edge];
    const back = flipped ? this.#costs.forward[edge] : this.#costs.backward[edge];
    const part = flipped ? 1 - fraction : fraction;
    return {
      chain: chains.chainOf[edge],
      along: chains.before[edge] + Math.round(there * part),
      alongBack: chains.beforeBack[edge] + Math.round(back * part),
      offStreet: Math.round((distance / ROUTING.walkMetresPerSecond) * 1000),
      snap: distance,
    };
  }

  /** How much of an edge's length lies before a point on its shape, 0 to 1. */
  #fractionAlong(edge: number, point: number, t: number): number {
    const { firstPoint, pointLon: lon, pointLat: lat } = this.#network;
    const perLon = metresPerDegreeLon(lat[point]);
    const perLat = metresPerDegreeLat(lat[point]);
    let before = 0;
    let all = 0;
    for (let p = firstPoint[edge]; p < firstPoint[edge + 1] - 1; p++) {
      const step = Math.hypot((lon[p + 1] - lon[p]) * perLon, (lat[p + 1] - lat[p]) * perLat);
      if (p < point) before += step;
      else if (p === point) before += t * step;
      all += step;
    }
    return all === 0 ? 0 : before / all;
  }
}

interface Nearest {
  readonly edge: number;
  readonly point: number;
  /** Place on the segment, 0 at its first point to 1. */
  readonly t: number;
  readonly distance: Metres;
}
