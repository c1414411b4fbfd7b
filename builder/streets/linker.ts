import type { UnlinkedReason } from '../../shards/blocks/block-index.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Degrees, Metres } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import { CoveredArea } from './covered-area.ts';
import { ridingSlowdown, walkingSlowdown } from './hills.ts';
import { type Impassable, NOTHING_IMPASSABLE } from './impassable.ts';
import { CLOSED, type ModeCosts } from './mode-costs.ts';
import type { ModeGraph } from './mode-graph.ts';
import type { StreetNetwork } from './network.ts';
import { slowdownUntil } from './slopes.ts';
import { type Detour, type NearestSegment, StreetSegments } from './street-segments.ts';
import { NO_LINKING, RIDE_BACKWARD, RIDE_FORWARD, SELDOM_LINKED } from './traits.ts';

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

/** What is known of the ground beside the streets. */
export interface Surroundings {
  /** Where the street data claims to be complete; null when it does not say. */
  readonly coverage: BoundingBox | null;
  /** The areas in it that it does so for; null where that is all of it. */
  readonly outlines?: readonly Area[] | null;
  readonly impassable?: Impassable;
  /** Past it the streets go on; without it, they end where they end. */
  readonly streetArea?: BoundingBox;
}

/**
 * Ties points to the nearest edge that a mode may use in both directions, within 300 m, else
 * 1,600 m, that nothing impassable lies before; of two as near, the one with the lower number.
 * Streets where trips seldom begin or end count as some metres farther off: bridges, fast roads
 * without a sign of walkers, and pieces that are cut off where the street data ends. Tunnels do not
 * count. A street that the mode may not use, or one way only, or that leads nowhere (an island), is not
 * on its network.
 */
export class Linker {
  readonly #network: StreetNetwork;
  readonly #costs: ModeCosts;
  readonly #graph: ModeGraph;
  readonly #covered: CoveredArea;
  readonly #impassable: Impassable;
  /** What points are tied to, and what they would be tied to if the mode could use it. */
  readonly #open: StreetSegments;
  readonly #closed: StreetSegments;
  /** Whether anything is ridden. */
  readonly #isForRiders: boolean;
  readonly #isCutOff: Uint8Array;

  constructor(
    network: StreetNetwork,
    costs: ModeCosts,
    graph: ModeGraph,
    isCutOff: Uint8Array,
    { coverage, outlines = null, impassable = NOTHING_IMPASSABLE }: Surroundings,
  ) {
    this.#covered = new CoveredArea(coverage, outlines);
    this.#impassable = impassable;
    this.#network = network;
    this.#costs = costs;
    this.#graph = graph;
    this.#isForRiders = costs.ridden.some((directions) => directions !== 0);
    this.#isCutOff = isCutOff;
    const isOpen = (e: number) => costs.forward[e] !== CLOSED && costs.backward[e] !== CLOSED;
    const mayLink = (e: number) => (network.traits[e] & NO_LINKING) === 0;
    this.#open = new StreetSegments(network, costs.isLocal, (e) => isOpen(e) && mayLink(e));
    this.#closed = new StreetSegments(network, costs.isLocal, (e) => !isOpen(e) && mayLink(e));
  }

  link(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    const mayTake = (segment: NearestSegment) => !this.#liesBeyond(lon, lat, segment);
    return this.#link(lon, lat, mayTake, this.#detour);
  }

  /**
   * Ties a stop: it may lie between tracks or off the quay, on a bridge or beside a fast road, and is
   * reached there.
   */
  linkStop(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    return this.#link(lon, lat, () => true, this.#detourOfPieces);
  }

  /**
   * Ties a block of land: people get away from it. Its internal point may lie in mapped water, or
   * where all is cut off; then a street within the first radius will do, whatever lies before it.
   */
  linkBlock(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    const link = this.link(lon, lat);
    if (typeof link !== 'string' || link === 'outside-street-data') return link;
    const nearest = this.#open.nearestWithin(lon, lat, NEAR, () => true, this.#detour);
    return nearest ? this.#linkTo(nearest) : link;
  }

  /**
   * Ties the bicycle of a point to the nearest street within 300 m that is ridden, one way at least,
   * if that is not where the point is tied: a rider need not push it along the sidewalk, but may
   * cross to the street.
   */
  linkToRide(lon: Degrees, lat: Degrees, tied: Link): Link | null {
    if (!this.#isForRiders) return null;
    const { ridden } = this.#costs;
    const mayMount = (segment: NearestSegment) =>
      ridden[segment.edge] !== 0 && !this.#liesBeyond(lon, lat, segment);
    const segment = this.#nearest(lon, lat, [NEAR], mayMount, NO_DETOUR);
    if (!segment) return null;
    const link = this.#linkTo(segment);
    const isSame = link.chain === tied.chain && link.along === tied.along;
    return isSame && link.offStreet === tied.offStreet ? null : link;
  }

  #link(
    lon: Degrees,
    lat: Degrees,
    mayTake: (segment: NearestSegment) => boolean,
    detour: Detour,
  ): Link | UnlinkedReason {
    if (!this.#covered.has(lon, lat)) return 'outside-street-data';
    const taken = this.#nearest(lon, lat, [NEAR, FAR], mayTake, detour);
    if (taken) return this.#linkTo(taken);
    const closed = this.#closed.nearestWithin(lon, lat, FAR, mayTake, NO_DETOUR);
    return closed ? 'not-on-mode-network' : 'no-street-near';
  }

  #nearest(
    lon: Degrees,
    lat: Degrees,
    radii: readonly Metres[],
    mayTake: (segment: NearestSegment) => boolean,
    detour: Detour,
  ): NearestSegment | null {
    let nearest: NearestSegment | null = null;
    // Most points lie beside a street: small boxes first.
    for (const radius of [30, 100, ...radii]) {
      nearest = this.#open.nearestWithin(lon, lat, radius, mayTake, detour);
      // One that only counts as farther off may yet be beaten from outside the box.
      if (nearest && nearest.distance + detour(nearest.edge) <= radius) break;
    }
    return nearest;
  }

  readonly #detour: Detour = (edge) =>
    this.#network.traits[edge] & SELDOM_LINKED ? SELDOM_LINKED_DETOUR : this.#detourOfPieces(edge);

  readonly #detourOfPieces: Detour = (edge) => this.#isCutOff[edge] * SELDOM_LINKED_DETOUR;

  /** Whether something impassable is between a point and a segment, short of the street itself. */
  #liesBeyond(lon: Degrees, lat: Degrees, { point, t, distance }: NearestSegment): boolean {
    const { pointLon, pointLat } = this.#network;
    const part = Math.max(0, 1 - STREET_HALF_WIDTH / distance);
    const towards = (from: Degrees, a: Degrees, b: Degrees) =>
      from + part * (a + t * (b - a) - from);
    return this.#impassable.isBetween(
      lon,
      lat,
      towards(lon, pointLon[point], pointLon[point + 1]),
      towards(lat, pointLat[point], pointLat[point + 1]),
    );
  }

  #linkTo({ edge, point, t, distance }: NearestSegment): Link {
    const { chains } = this.#graph;
    const fraction = this.#fractionAlong(edge, point, t);
    const flipped = chains.reversed[edge] === 1;
    const { forward, backward } = this.#costs;
    const onward = this.#timeShare(edge, fraction, RIDE_FORWARD);
    const homeward = this.#timeShare(edge, fraction, RIDE_BACKWARD);
    const there = flipped ? backward[edge] * (1 - homeward) : forward[edge] * onward;
    const back = flipped ? forward[edge] * (1 - onward) : backward[edge] * homeward;
    return {
      chain: chains.chainOf[edge],
      along: chains.before[edge] + Math.round(there),
      alongBack: chains.beforeBack[edge] + Math.round(back),
      offStreet: Math.round((distance / ROUTING.walkMetresPerSecond) * 1000),
      snap: distance,
    };
  }

  /** How much of the time that an edge takes in a direction is spent before a place on it. */
  #timeShare(edge: number, fraction: number, direction: number): number {
    const { slopes } = this.#network;
    if (!slopes) return fraction;
    const slowdown = this.#costs.ridden[edge] & direction ? ridingSlowdown : walkingSlowdown;
    const isBackward = direction === RIDE_BACKWARD;
    const until = (part: number) => slowdownUntil(slopes, edge, slowdown, isBackward, part);
    return until(fraction) / until(1);
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

const SELDOM_LINKED_DETOUR = ROUTING.seldomLinkedDetour;
const NO_DETOUR: Detour = () => 0;
/** A quay is often mapped as the shore itself. */
const STREET_HALF_WIDTH: Metres = 1;
const [NEAR, FAR] = ROUTING.linkRadii;
