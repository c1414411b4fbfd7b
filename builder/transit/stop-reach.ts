import Flatbush from 'flatbush';
import {
  boxAroundPoint,
  boxContains,
  bufferBox,
  localDistance,
} from '../../shards/geometry/wgs84.ts';
import type { Footpaths } from '../../shards/transit/footpaths.ts';
import { Raptor } from '../../shards/transit/raptor.ts';
import type { BoundingBox, Metres, Millis, StopOrdinal } from '../../shards/units.ts';
import { ROUTING, type Routing, windowTimes } from '../routing-parameters.ts';
import type { StopWalk } from './build-footpaths.ts';
import type { Transit } from './join-feeds.ts';
import type { Entrance, TransitStop } from './transit-stop.ts';

/** Slightly more than allowed, since the sides of a box measure degrees at other latitudes. */
const TRANSFER_MARGIN = 1.01;

/**
 * The facts of transit that are used: the timetable, the entrances of stops, and which stops share
 * a station, regardless of the time inside.
 */
interface RiddenStops extends Pick<Transit, 'timetable' | 'window'> {
  readonly stops: readonly (Pick<TransitStop, 'lon' | 'lat' | 'windowStart'> & {
    readonly entrances: readonly Pick<Entrance, 'lon' | 'lat'>[];
  })[];
  readonly insideWalks: readonly Pick<StopWalk, 'from' | 'to'>[];
}

/**
 * Finds the stops that trips from a box could possibly use, with the window's whole length for
 * waiting, straight-line walks from entrance to entrance, and no time lost. No trip gets farther,
 * so anything beyond can be ignored.
 */
export class StopReach {
  readonly #transit: RiddenStops;
  readonly #raptor: Raptor;
  readonly #footpaths: Footpaths;
  readonly #limit: Millis;
  /** The longest distance of a leg on foot, including the link to the street at its end. */
  readonly #walkLeg: Metres;

  private constructor(
    transit: RiddenStops,
    footpaths: Footpaths,
    limit: Millis,
    fastest: number,
    { walkMetresPerSecond, linkRadii, transit: { maxWalkLeg } }: Routing,
  ) {
    this.#transit = transit;
    this.#limit = limit;
    this.#walkLeg = ((walkMetresPerSecond * maxWalkLeg) / 1000) * fastest + linkRadii[1];
    this.#footpaths = footpaths;
    this.#raptor = new Raptor(transit.timetable, footpaths);
  }

  /**
   * Returns the reach in each window of departures; windows share their stops, and so the walks
   * between them. `limit`: the longest trip. `fastest`: maximum walking speed as a multiple of that
   * on level ground.
   */
  static inWindows(
    windows: readonly RiddenStops[],
    limit: Millis,
    fastest: number,
    routing: Routing = ROUTING,
  ): StopReach[] {
    if (windows.length === 0) return [];
    const distance = TRANSFER_MARGIN * routing.transit.maxTransferWalk * fastest;
    const footpaths = straightFootpaths(windows[0], distance);
    return windows.map((transit) => new StopReach(transit, footpaths, limit, fastest, routing));
  }

  /**
   * Returns the ordinals of the stops within `limit` of a box, ascending: stops within walking
   * distance, stops where riders may alight, and stops that they may walk to from there to board
   * again.
   */
  stopsFrom(box: BoundingBox, windowStart: Millis, limit = this.#limit): Int32Array {
    const access = Int32Array.from(this.#stopsBy(box));
    const readyAt = new Int32Array(access.length).fill(windowStart);
    const reached = this.#raptor.run(
      access,
      readyAt,
      windowStart + limit + windowTimes(this.#transit.window).length,
    );
    const ridden = this.#raptor.reached.subarray(0, reached);
    const { first, ways } = this.#footpaths;
    const stops = new Set<StopOrdinal>(access);
    for (const stop of ridden) {
      for (let way = first[stop]; way < first[stop + 1]; way++) stops.add(ways[2 * way]);
    }
    return Int32Array.from(stops).sort();
  }

  /**
   * Returns when the window opens for trips that begin in some boxes, in the time zone of the stop
   * nearest to the middle of a box, among stops within walking distance of that box. Stops farther
   * away are ignored, since they may not all be known.
   */
  windowStartOf(boxes: readonly BoundingBox[]): Millis {
    const { opens } = windowTimes(this.#transit.window);
    let nearest = { distance: Number.POSITIVE_INFINITY, windowStart: opens };
    for (const box of boxes) {
      const [lon, lat] = [(box.minLon + box.maxLon) / 2, (box.minLat + box.maxLat) / 2];
      for (const ordinal of this.#stopsBy(box)) {
        const stop = this.#transit.stops[ordinal];
        const distance = localDistance(stop.lon, stop.lat, lon, lat);
        if (distance < nearest.distance) nearest = { distance, windowStart: stop.windowStart };
      }
    }
    return nearest.windowStart;
  }

  /** Ordinals of the stops within walking distance of a box, ascending. */
  #stopsBy(box: BoundingBox): StopOrdinal[] {
    const near = bufferBox(box, this.#walkLeg);
    return this.#transit.stops.flatMap(({ entrances }, stop) =>
      entrances.some(({ lon, lat }) => boxContains(near, lon, lat)) ? [stop] : [],
    );
  }

  /** Boxes around the entrances of some stops, extended by walking distance. */
  boxesAround(stops: Int32Array): BoundingBox[] {
    const entrances = Array.from(stops).flatMap((stop) => this.#transit.stops[stop].entrances);
    return entrances.map(({ lon, lat }) => boxAroundPoint(lon, lat, this.#walkLeg));
  }
}

/** The footpaths of a stop are to itself and to those near any of its entrances, in no time. */
function straightFootpaths({ stops, insideWalks }: RiddenStops, metres: Metres): Footpaths {
  const nearby = stops.map((_, stop) => new Set([stop]));
  for (const { from, to } of insideWalks) nearby[from].add(to);
  const entrances = stops.flatMap((stop, ordinal) =>
    stop.entrances.map(({ lon, lat }) => ({ lon, lat, ordinal })),
  );
  if (entrances.length > 0) {
    const tree = new Flatbush(entrances.length);
    for (const { lon, lat } of entrances) tree.add(lon, lat, lon, lat);
    tree.finish();
    for (const { lon, lat, ordinal } of entrances) {
      const near = boxAroundPoint(lon, lat, metres);
      for (const one of tree.search(near.minLon, near.minLat, near.maxLon, near.maxLat)) {
        nearby[ordinal].add(entrances[one].ordinal);
      }
    }
  }
  const first = new Int32Array(stops.length + 1);
  nearby.forEach((to, stop) => {
    first[stop + 1] = first[stop] + to.size;
  });
  const ways = new Int32Array(2 * first[stops.length]);
  for (const [stop, to] of nearby.entries()) {
    for (const [i, one] of [...to].sort((a, b) => a - b).entries())
      ways[2 * (first[stop] + i)] = one;
  }
  return { first, ways };
}
