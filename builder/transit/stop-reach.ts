import Flatbush from 'flatbush';
import { boxContains, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Metres, Millis } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import { buildFootpaths, type StopWalk } from './footpaths.ts';
import { RangeRaptor } from './range-raptor.ts';
import type { Transit } from './read-transit.ts';

const { departures, departureStep, maxTransferWalk, maxWalkLeg } = ROUTING.transit;
const WINDOW: Millis = departures * departureStep;
/** As far as a leg on foot can lead, and the link to the street at its end. */
export const WALK_LEG_METRES: Metres =
  (ROUTING.walkMetresPerSecond * maxWalkLeg) / 1000 + ROUTING.linkRadii[1];
/** A platform may lie that far from the door of its station. */
const STATION_SIZE: Metres = 500;

/**
 * Which stops anybody from a box could possibly alight at, and how soon after the window opens:
 * with the window's whole length to wait in, walks as the crow flies, and no time lost. No trip
 * gets farther; what lies beyond need not be looked at.
 */
export class StopReach {
  readonly #transit: Transit;
  readonly #raptor: RangeRaptor;
  readonly #limit: Millis;

  /** `limit`: the longest trip. */
  constructor(transit: Transit, limit: Millis) {
    this.#transit = transit;
    this.#limit = limit;
    const footpaths = buildFootpaths(transit.stops.length, crowFlights(transit), []);
    this.#raptor = new RangeRaptor(transit.timetable, footpaths, {
      departures: 1,
      step: departureStep,
      boardSlack: 0,
      limit: limit + WINDOW,
    });
  }

  /** Boxes around the stops within `limit` of a box: as far as one can walk on from them. */
  boxesFrom(box: BoundingBox, windowStart: Millis, limit = this.#limit): BoundingBox[] {
    const { stops } = this.#transit;
    const near = bufferBox(box, WALK_LEG_METRES + STATION_SIZE);
    const access = Int32Array.from(
      stops.flatMap(({ lon, lat }, stop) => (boxContains(near, lon, lat) ? [stop] : [])),
    );
    const reached = this.#raptor.run(
      access,
      new Int32Array(access.length),
      access.length,
      windowStart,
    );
    return Array.from(this.#raptor.reached.subarray(0, reached))
      .filter((stop) => this.#raptor.shortest[stop] <= limit + WINDOW)
      .map((stop) => {
        const { lon, lat } = stops[stop];
        const point = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
        return bufferBox(point, WALK_LEG_METRES + STATION_SIZE);
      });
  }
}

function crowFlights({ stops, insideWalks }: Transit): StopWalk[] {
  const walks: StopWalk[] = insideWalks.map(({ from, to }) => ({ from, to, time: 0 }));
  if (stops.length === 0) return walks;
  const tree = new Flatbush(stops.length);
  for (const { lon, lat } of stops) tree.add(lon, lat, lon, lat);
  tree.finish();
  stops.forEach(({ lon, lat }, from) => {
    const point = { minLon: lon, minLat: lat, maxLon: lon, maxLat: lat };
    const near = bufferBox(point, maxTransferWalk + 2 * STATION_SIZE);
    for (const to of tree.search(near.minLon, near.minLat, near.maxLon, near.maxLat)) {
      if (to !== from) walks.push({ from, to, time: 0 });
    }
  });
  return walks;
}

/** When the window opens in the time zone of a place: that of the stop nearest to it. */
export function windowStartAt({ stops }: Transit, lon: number, lat: number): Millis {
  let nearest = { distance: Number.POSITIVE_INFINITY, windowStart: ROUTING.transit.windowStart };
  for (const stop of stops) {
    const distance = Math.hypot(stop.lon - lon, stop.lat - lat);
    if (distance < nearest.distance) nearest = { distance, windowStart: stop.windowStart };
  }
  return nearest.windowStart;
}
