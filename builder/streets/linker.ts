import {
  boxContains,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../shards/geometry/wgs84.ts';
import type { UnlinkedReason } from '../../shards/index/block-index.ts';
import type { BoundingBox, Degrees, Metres } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import { CLOSED, type ModeCosts } from './mode-costs.ts';
import type { ModeGraph } from './mode-graph.ts';
import type { StreetNetwork } from './network.ts';
import { type NearestSegment, StreetSegments } from './street-segments.ts';
import { NO_LINKING } from './traits.ts';

/** A point tied to the streets of a mode: a point on a chain, and the way to it off the street. */
export interface Link {
  readonly chain: number;
  /** Milliseconds along the chain from its `a` to that point, and from there back to `a`. */
  readonly along: number;
  readonly alongBack: number;
  /** Milliseconds between the two points, walked straight. */
  readonly offStreet: number;
  readonly snap: Metres;
}

/**
 * Ties points to the nearest edge that a mode may use in both directions, within 300 m, else
 * 1,600 m; of two as near, the one with the lower number. Tunnels do not count. A street that the
 * mode may not use, or one way only, or that leads nowhere (an island), is not on its network.
 */
export class Linker {
  readonly #network: StreetNetwork;
  readonly #costs: ModeCosts;
  readonly #graph: ModeGraph;
  readonly #coverage: BoundingBox | null;
  /** What points are tied to, and what they would be tied to if the mode could use it. */
  readonly #open: StreetSegments;
  readonly #closed: StreetSegments;

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
    const isOpen = (e: number) => costs.forward[e] !== CLOSED && costs.backward[e] !== CLOSED;
    const mayLink = (e: number) => (network.traits[e] & NO_LINKING) === 0;
    this.#open = new StreetSegments(network, (e) => isOpen(e) && mayLink(e));
    this.#closed = new StreetSegments(network, (e) => !isOpen(e) && mayLink(e));
  }

  link(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    if (this.#coverage && !boxContains(this.#coverage, lon, lat)) return 'outside-street-data';
    // Most points lie beside a street: small boxes first, the two radii of the definition last.
    for (const radius of [30, 100, ...ROUTING.linkRadii]) {
      const nearest = this.#open.nearestWithin(lon, lat, radius);
      if (nearest) return this.#linkTo(nearest);
    }
    const isBesideClosed = this.#closed.nearestWithin(lon, lat, FARTHEST) !== null;
    return isBesideClosed ? 'not-on-mode-network' : 'no-street-near';
  }

  #linkTo({ edge, point, t, distance }: NearestSegment): Link {
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

const FARTHEST = Math.max(...ROUTING.linkRadii);
