import type { Footpaths } from '../../shards/transit/footpaths.ts';
import { buildTimetable, type ScheduledTrip } from '../../shards/transit/timetable.ts';
import type { CountyTransit, StopWalks } from '../../shards/transit/transit-table.ts';
import type { StopOrdinal, TargetOrdinal } from '../../shards/units.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { AccessLists } from '../search/search-chunk.ts';
import { continuationsAmong } from '../transit/continuations-among.ts';
import { EgressWalks } from '../transit/egress.ts';
import { scheduledTrips } from '../transit/scheduled-trips.ts';
import type { TransitRegion } from '../transit/transit-region.ts';
import { UsefulWalks } from '../transit/useful-walks.ts';
import type { CountyScope } from './county-scope.ts';

/**
 * The transit that journeys from a county may use in a window of departures, with a numbering of
 * its own: the stops of the county's scope, and the calls of all trips at these stops. It depends
 * on nothing outside the scope.
 */
export class TransitOfCounty {
  readonly transit: CountyTransit;
  readonly #ordinals: Int32Array;
  readonly #useful: UsefulWalks;
  readonly #egress: EgressWalks;

  /** `window`: the position of the window of departures. */
  constructor({ region, searchRegion }: LinkedRegion, window: number, scope: CountyScope) {
    const { stops, routes } = region.transits[window];
    const own = searchRegion.transits[window];
    const ordinals = new Int32Array(stops.length).fill(-1);
    scope.stops.forEach((stop, ordinal) => {
      ordinals[stop] = ordinal;
    });
    const { trips, continuations } = callsAt(own, ordinals);
    // Routes are sorted by name, which is all that is stored of them, since their order in a feed
    // may change.
    const used = [...new Set(trips.map(({ route }) => routes[route]))].sort();
    const routeOrdinals = new Map(used.map((name, ordinal) => [name, ordinal]));
    const renumbered = new Map(
      trips.map((trip) => [trip, { ...trip, route: routeOrdinals.get(routes[trip.route])! }]),
    );
    const timetable = buildTimetable(
      scope.stops.length,
      [...renumbered.values()],
      continuations.map(([from, to]) => [renumbered.get(from)!, renumbered.get(to)!] as const),
    );
    this.#ordinals = ordinals;
    this.#useful = new UsefulWalks(timetable);
    this.#egress = new EgressWalks(own.egress);
    const { departureStep, boardSlack } = ROUTING.transit;
    this.transit = {
      windowStart: scope.windowStarts[window],
      departures: own.window.departures,
      step: departureStep,
      boardSlack,
      stops: Array.from(scope.stops, (stop) => stops[stop].name),
      routes: used,
      timetable,
      footpaths: this.#footpaths(own.footpaths, scope.stops),
    };
  }

  /** Yields the useful walks to stops from each block of a chunk. */
  *access({ counts, stops, times }: AccessLists): Generator<StopWalks> {
    let first = 0;
    for (const count of counts) {
      const end = first + count;
      yield this.#useful.toStops(
        this.#own((add) => {
          for (let i = first; i < end; i++) add(stops[i], times[i]);
        }),
      );
      first = end;
    }
  }

  egress(target: TargetOrdinal): StopWalks {
    return this.#useful.fromStops(this.#own((add) => this.#egress.forEach(target, add)));
  }

  #footpaths({ first, ways }: Footpaths, stops: Int32Array): Footpaths {
    const lists = Array.from(stops, (stop) => {
      const walks = this.#own((add) => {
        for (let way = first[stop]; way < first[stop + 1]; way++) {
          add(ways[2 * way], ways[2 * way + 1]);
        }
      });
      const { stops: to, times } = this.#useful.toStops(walks);
      return Array.from(to, (one, i) => [one, times[i]]).sort(([a, s], [b, t]) => s - t || a - b);
    });
    const starts = new Int32Array(stops.length + 1);
    lists.forEach((list, i) => {
      starts[i + 1] = starts[i] + list.length;
    });
    return { first: starts, ways: Int32Array.from(lists.flat(2)) };
  }

  /** Collects walks to or from the county's own stops, renumbered. */
  #own(walks: (add: (stop: StopOrdinal, time: number) => void) => void): StopWalks {
    const stops: number[] = [];
    const times: number[] = [];
    walks((stop, time) => {
      const ordinal = this.#ordinals[stop];
      if (ordinal < 0) return;
      stops.push(ordinal);
      times.push(time);
    });
    return { stops, times };
  }
}

/**
 * Finds the trips of a timetable, reduced to their calls at chosen stops, and the continuations
 * among them. `ordinals` has the new number of each stop, or -1.
 */
function callsAt({ timetable }: TransitRegion, ordinals: Int32Array) {
  const { patternCount, firstTrip } = timetable;
  const byNumber = new Map<number, ScheduledTrip>();
  for (let pattern = 0; pattern < patternCount; pattern++) {
    scheduledTrips(timetable, pattern).forEach((trip, t) => {
      const calls = [...trip.stops.keys()].filter((call) => ordinals[trip.stops[call]] >= 0);
      if (calls.length === 0) return;
      byNumber.set(firstTrip[pattern] + t, {
        stops: calls.map((call) => ordinals[trip.stops[call]]),
        rules: calls.map((call) => trip.rules[call]),
        arrivals: calls.map((call) => trip.arrivals[call]),
        departures: calls.map((call) => trip.departures[call]),
        route: trip.route,
      });
    });
  }
  const continuations: (readonly [ScheduledTrip, ScheduledTrip])[] = [];
  for (const [number, from] of byNumber) {
    for (const next of continuationsAmong(timetable, number, (trip) => byNumber.has(trip))) {
      continuations.push([from, byNumber.get(next)!]);
    }
  }
  // A trip with one call is useful only to riders who stay seated before or after it.
  const continued = new Set(continuations.flat());
  const trips = [...byNumber.values()].filter(
    (trip) => trip.stops.length > 1 || continued.has(trip),
  );
  return { trips, continuations };
}
