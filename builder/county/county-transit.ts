import type { Footpaths } from '../../shards/transit/footpaths.ts';
import { buildTimetable, type ScheduledTrip } from '../../shards/transit/timetable.ts';
import type { CountyTransit, StopWalks } from '../../shards/transit/transit-table.ts';
import type { StopOrdinal, TargetOrdinal } from '../../shards/units.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import type { AccessLists } from '../search/search-chunk.ts';
import { continuationsAmong } from '../transit/continuations-among.ts';
import { EgressWalks } from '../transit/egress.ts';
import { scheduledTrips } from '../transit/patterns-among.ts';
import type { TransitRegion } from '../transit/transit-region.ts';
import { UsefulWalks } from '../transit/useful-walks.ts';
import type { CountyScope } from './county-scope.ts';

/**
 * The transit that journeys from a county may use, with a numbering of its own: the stops of the
 * county's scope, and the calls of all trips at these stops, in each window of departures. It
 * depends on nothing outside the scope.
 */
export class TransitOfCounty {
  /** By the name of the window, the base window first. */
  readonly windows: ReadonlyMap<string, CountyTransit>;
  readonly #ordinals: Int32Array;
  readonly #useful: UsefulWalks;
  readonly #egress: EgressWalks;

  /** `riders`: their position in the region. */
  constructor({ region, searchRegion }: LinkedRegion, scope: CountyScope, riders: number) {
    const transits = searchRegion.riders[riders].windows;
    const { windows } = region.riders[riders];
    const [{ stops }] = windows;
    const [{ egress, footpaths }] = transits;
    const ordinals = new Int32Array(stops.length).fill(-1);
    scope.stops.forEach((stop, ordinal) => {
      ordinals[stop] = ordinal;
    });
    const timetables = transits.map((transit, w) =>
      timetableAt(transit, windows[w].routes, ordinals, scope.stops.length),
    );
    this.#ordinals = ordinals;
    this.#useful = new UsefulWalks(timetables.map(({ timetable }) => timetable));
    this.#egress = new EgressWalks(egress);
    const { departureStep, boardSlack } = region.routing.transit;
    const shared = {
      step: departureStep,
      boardSlack,
      stops: Array.from(scope.stops, (stop) => stops[stop].name),
      footpaths: this.#footpaths(footpaths, scope.stops),
    };
    this.windows = new Map(
      transits.map(({ window: { name, departures } }, w) => [
        name,
        { ...shared, ...timetables[w], windowStart: scope.windowStarts[w], departures },
      ]),
    );
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

/** The trips of a window at chosen stops, and the names of their routes. */
function timetableAt(
  transit: TransitRegion,
  names: readonly string[],
  ordinals: Int32Array,
  stopCount: number,
): Pick<CountyTransit, 'timetable' | 'routes'> {
  const { trips, continuations } = callsAt(transit, ordinals);
  // Routes are sorted by name, which is all that is stored of them, since their order in a feed may
  // change.
  const routes = [...new Set(trips.map(({ route }) => names[route]))].sort();
  const routeOrdinals = new Map(routes.map((name, ordinal) => [name, ordinal]));
  const renumbered = new Map(
    trips.map((trip) => [trip, { ...trip, route: routeOrdinals.get(names[trip.route])! }]),
  );
  const timetable = buildTimetable(
    stopCount,
    [...renumbered.values()],
    continuations.map(([from, to]) => [renumbered.get(from)!, renumbered.get(to)!] as const),
  );
  return { timetable, routes };
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
