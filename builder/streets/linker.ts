import type { UnlinkedReason } from '../../shards/blocks/block-index.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../shards/geometry/wgs84.ts';
import type { StreetMode } from '../../shards/modes.ts';
import type { BoundingBox, Degrees, Metres } from '../../shards/units.ts';
import { OWN_RULES, ROUTING, type Routing, walkingSpeed } from '../routing-parameters.ts';
import { CoveredArea } from './covered-area.ts';
import { ridingSlowdown, type Slowdown, walkingSlowdown } from './hills.ts';
import { type Impassable, NOTHING_IMPASSABLE } from './impassable.ts';
import { CLOSED, type ModeCosts } from './mode-costs.ts';
import type { ModeGraph } from './mode-graph.ts';
import type { StreetNetwork } from './network.ts';
import { slowdownUntil } from './slopes.ts';
import { type Detour, type NearestSegment, StreetSegments } from './street-segments.ts';
import { NO_LINKING, RIDE, RIDE_BACKWARD, RIDE_FORWARD, SELDOM_LINKED } from './trait-bits.ts';

/**
 * A link of a point to the streets of a mode: a point on a chain, and the way to it off the street.
 */
export interface Link {
  readonly chain: number;
  /** Milliseconds along the chain from its `a` to the point on it, and from there back to `a`. */
  readonly along: number;
  readonly alongBack: number;
  /**
   * Milliseconds to walk in a straight line between the linked point and the point on the chain.
   */
  readonly offStreet: number;
  /** The distance between the linked point and the point on the chain. */
  readonly snap: Metres;
}

export interface Surroundings {
  /** The box in which the street data claims to be complete; null if not stated. */
  readonly coverage: BoundingBox | null;
  /** The areas within `coverage` that the claim applies to; null for all of it. */
  readonly outlines?: readonly Area[] | null;
  readonly impassable?: Impassable;
  /** The area read, beyond which streets continue; without it, streets end where the data does. */
  readonly streetArea?: BoundingBox;
}

/**
 * Links points to the nearest edge that a mode may use in both directions, within 300 m, or else
 * within 1,600 m, with nothing impassable in between; of equally near edges, to one that is not
 * local, then to the one with the lowest number. Streets where trips seldom begin or end count as
 * some metres farther away: bridges, fast roads without a sign of pedestrians, and parts that are
 * cut off where the street data ends. Tunnels are excluded. A street that the mode may not use, or
 * only in one direction, or that leads nowhere (an island), is not part of its network.
 */
export class Linker {
  readonly #network: StreetNetwork;
  readonly #costs: ModeCosts;
  readonly #graph: ModeGraph;
  readonly #covered: CoveredArea;
  readonly #impassable: Impassable;
  /**
   * The streets that points may be linked to, and those that they might be linked to if the mode
   * could use them.
   */
  readonly #open: StreetSegments;
  readonly #closed: StreetSegments;
  /** Whether points are linked to the nearest ridden street in addition. */
  readonly #hasRideLinks: boolean;
  /** The traits of streets where trips seldom begin or end. */
  readonly #seldomLinked: number;
  readonly #isCutOff: Uint8Array;
  /** In metres a second. */
  readonly #walkSpeed: number;
  readonly #ridingSlowdown: Slowdown;

  constructor(
    network: StreetNetwork,
    costs: ModeCosts,
    graph: ModeGraph,
    isCutOff: Uint8Array,
    { coverage, outlines = null, impassable = NOTHING_IMPASSABLE }: Surroundings,
    rulesOfR5 = OWN_RULES,
    mode: StreetMode = 'walk',
    routing: Routing = ROUTING,
  ) {
    this.#walkSpeed = walkingSpeed(mode, routing);
    this.#ridingSlowdown = ridingSlowdown(routing);
    this.#covered = new CoveredArea(coverage, outlines);
    this.#impassable = impassable;
    this.#network = network;
    this.#costs = costs;
    this.#graph = graph;
    const isForRiders = costs.ridden.some((directions) => directions !== 0);
    const isAsInR5 = isForRiders && rulesOfR5.has('bike-links');
    this.#hasRideLinks = isForRiders && !isAsInR5;
    this.#isCutOff = isAsInR5 ? new Uint8Array(network.edgeCount) : isCutOff;
    this.#seldomLinked = isAsInR5 ? 0 : SELDOM_LINKED;
    const isRiddenBothWays = (e: number) => (network.traits[e] & RIDE) === RIDE;
    const isOpen = (e: number) =>
      costs.forward[e] !== CLOSED &&
      costs.backward[e] !== CLOSED &&
      (!isAsInR5 || isRiddenBothWays(e));
    const mayLink = (e: number) => (network.traits[e] & NO_LINKING) === 0;
    this.#open = new StreetSegments(network, costs.isLocal, (e) => isOpen(e) && mayLink(e));
    this.#closed = new StreetSegments(network, costs.isLocal, (e) => !isOpen(e) && mayLink(e));
  }

  link(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    const mayTake = (segment: NearestSegment) => !this.#liesBeyond(lon, lat, segment);
    return this.#link(lon, lat, mayTake, this.#detour);
  }

  /**
   * Links a stop. It may be between tracks or off the quay, on a bridge or next to a fast road, and
   * is reached from there.
   */
  linkStop(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    return this.#link(lon, lat, () => true, this.#detourOfPieces);
  }

  /**
   * Links a land block, which people must be able to leave. Its internal point may be in mapped
   * water, or where everything is cut off; then any street within the first radius is used,
   * regardless of obstacles.
   */
  linkBlock(lon: Degrees, lat: Degrees): Link | UnlinkedReason {
    const link = this.link(lon, lat);
    if (typeof link !== 'string' || link === 'outside-street-data') return link;
    const nearest = this.#open.nearestWithin(lon, lat, NEAR, () => true, this.#detour);
    return nearest ? this.#linkTo(nearest) : link;
  }

  /**
   * Links a point to the nearest street within 300 m that can be ridden in at least one direction;
   * null if there is none, or if that is the link `nearest`. So a rider need not push the bicycle
   * along the sidewalk, but may cross to the street.
   */
  linkToRide(lon: Degrees, lat: Degrees, nearest: Link): Link | null {
    if (!this.#hasRideLinks) return null;
    const { ridden } = this.#costs;
    const mayMount = (segment: NearestSegment) =>
      ridden[segment.edge] !== 0 && !this.#liesBeyond(lon, lat, segment);
    const segment = this.#nearest(lon, lat, [NEAR], mayMount, NO_DETOUR);
    if (!segment) return null;
    const link = this.#linkTo(segment);
    const isSame = link.chain === nearest.chain && link.along === nearest.along;
    return isSame && link.offStreet === nearest.offStreet ? null : link;
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
    // Most points are next to a street, so small boxes are searched first.
    for (const radius of [30, 100, ...radii]) {
      nearest = this.#open.nearestWithin(lon, lat, radius, mayTake, detour);
      // If the nearest street counts as farther away than it is, one outside the box may still be
      // better.
      if (nearest && nearest.distance + detour(nearest.edge) <= radius) break;
    }
    return nearest;
  }

  readonly #detour: Detour = (edge) =>
    this.#network.traits[edge] & this.#seldomLinked
      ? SELDOM_LINKED_DETOUR
      : this.#detourOfPieces(edge);

  readonly #detourOfPieces: Detour = (edge) => this.#isCutOff[edge] * SELDOM_LINKED_DETOUR;

  /**
   * Whether anything impassable lies between a point and a segment, up to the edge of the street.
   */
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
      offStreet: Math.round((distance / this.#walkSpeed) * 1000),
      snap: distance,
    };
  }

  /**
   * The fraction of an edge's time in a direction that is spent between its start and a location on
   * it.
   */
  #timeShare(edge: number, fraction: number, direction: number): number {
    const { slopes } = this.#network;
    if (!slopes) return fraction;
    const slowdown = this.#costs.ridden[edge] & direction ? this.#ridingSlowdown : walkingSlowdown;
    const isBackward = direction === RIDE_BACKWARD;
    const until = (part: number) => slowdownUntil(slopes, edge, slowdown, isBackward, part);
    return until(fraction) / until(1);
  }

  /** The fraction of an edge's length before a point on its shape, 0 to 1. */
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
/**
 * Obstacles this near to a street are ignored, since a quay is often mapped as the shore itself.
 */
const STREET_HALF_WIDTH: Metres = 1;
const [NEAR, FAR] = ROUTING.linkRadii;
