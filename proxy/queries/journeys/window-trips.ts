import type { Turns } from '../../../shards/concurrency/turns.ts';
import { AM_WINDOW, departureTime } from '../../../shards/modes.ts';
import type { CountyTransit, StopWalks } from '../../../shards/transit/transit-table.ts';
import type { Millis, Minutes } from '../../../shards/units.ts';
import { type DepartureRange, fastestTrips, type Journey, type Leg, legsOf } from './journey.ts';

/** Percentiles of a spread: the fast, the middle and the slow times of the window. */
export const SPREAD_PERCENTILES = [10, 50, 90] as const;

/** How times of a kind of trip are rounded, and which are within reach. */
export interface Rounding {
  readonly minutesOf: (time: Millis) => Minutes;
  /** Longest time that is rounded to given minutes. */
  readonly longest: (minutes: Minutes) => Millis;
  /** Longest time within reach. */
  readonly most: Minutes;
}

/** A trip with its legs, whose minutes add up to its travel time. */
export interface Trip {
  /** Null, without legs, beyond reach. */
  readonly travel_time: Minutes | null;
  /** When the rider leaves, as `HH:MM`; null for a trip without rides. */
  readonly departs: string | null;
  /** How often the rider changes vehicles. */
  readonly transfers: number;
  readonly legs: readonly Leg[];
}

/** How the times of a trip differ among the departures of the window. */
export interface Spread {
  readonly departures: number;
  /** Departures that take no longer than the stored time; 0 beyond reach. */
  readonly as_fast: number;
  /** By percentile; null where too few departures are within reach. */
  readonly minutes: Readonly<Record<string, Minutes | null>>;
  /** The lines of the fastest trips, in the order ridden, by how many departures use them. */
  readonly routes: readonly { readonly routes: readonly string[]; readonly departures: number }[];
}

/** The spread of a trip to a place that no trip reaches. */
export const NO_SPREAD: Spread = {
  departures: AM_WINDOW.departures,
  as_fast: 0,
  minutes: Object.fromEntries(SPREAD_PERCENTILES.map((percentile) => [String(percentile), null])),
  routes: [],
};

/** A trip without rides by transit; beyond reach if it has no time. */
export function streetTrip(kind: Leg['kind'], minutes: Minutes | undefined): Trip {
  const legs = minutes === undefined ? [] : [{ kind, minutes }];
  return { travel_time: minutes ?? null, departs: null, transfers: 0, legs };
}

/**
 * The fastest trips by transit between two places, by departure of the window. On foot all the way
 * counts where it takes no longer.
 */
export class WindowTrips {
  readonly #turns: Turns;
  readonly #transit: CountyTransit;
  readonly #walks: { readonly access: StopWalks; readonly egress: StopWalks };
  readonly #rounding: Rounding;
  /** Minutes on foot; undefined beyond reach. */
  readonly #onFoot: Minutes | undefined;

  constructor(
    turns: Turns,
    transit: CountyTransit,
    walks: { readonly access: StopWalks; readonly egress: StopWalks },
    rounding: Rounding,
    onFoot: Minutes | undefined,
  ) {
    this.#turns = turns;
    this.#transit = transit;
    this.#walks = walks;
    this.#rounding = rounding;
    this.#onFoot = onFoot;
  }

  /** The trip of the first departure that takes the given time; undefined if none does. */
  async firstOf(minutes: Minutes): Promise<Trip | undefined> {
    const whole = { first: 0, end: this.#transit.departures };
    let found: Trip | undefined;
    await this.#search(whole, minutes, (departure, time, journey) => {
      if (time === minutes) found = this.#trip(departure, time, journey());
      return found !== undefined;
    });
    return found;
  }

  /** The trip at a departure of the window. */
  async at(departure: number): Promise<Trip> {
    let found: Trip | undefined;
    const only = { first: departure, end: departure + 1 };
    await this.#search(only, this.#rounding.most, (_, time, journey) => {
      if (time < (this.#onFoot ?? Infinity)) found = this.#trip(departure, time, journey());
      return true;
    });
    return found ?? streetTrip('walk', this.#onFoot);
  }

  /**
   * Searches all departures; `stored` is the time that the release states. Also returns the first
   * departure whose trip by transit takes it; -1 if none does.
   */
  async spread(stored: Minutes | undefined): Promise<{ spread: Spread; first: number }> {
    const { departures } = this.#transit;
    let first = -1;
    const times = new Float64Array(departures).fill(this.#onFoot ?? Infinity);
    const lines = new Array<readonly string[]>(departures).fill([]);
    await this.#search(
      { first: 0, end: departures },
      this.#rounding.most,
      (departure, time, journey) => {
        if (first === -1 && time === stored) first = departure;
        if (time >= times[departure]) return false;
        times[departure] = time;
        lines[departure] = this.#linesOf(journey());
        return false;
      },
    );
    const reached = lines.filter((_, departure) => times[departure] < Infinity);
    const as_fast = stored === undefined ? 0 : times.filter((time) => time <= stored).length;
    const minutes = percentilesOf(times);
    return { spread: { departures, as_fast, minutes, routes: countedLines(reached) }, first };
  }

  /** Visits the departures whose fastest trip takes at most `most` minutes. */
  #search(
    range: DepartureRange,
    most: Minutes,
    visit: (departure: number, time: Minutes, journey: () => Journey) => boolean,
  ): Promise<void> {
    const { minutesOf, longest } = this.#rounding;
    const steps = fastestTrips(
      this.#transit,
      this.#walks,
      range,
      longest(most),
      ({ departure, length, journey }) => {
        const time = minutesOf(length);
        return time <= most && visit(departure, time, journey);
      },
    );
    return this.#turns.run(steps);
  }

  #trip(departure: number, travel_time: Minutes, journey: Journey): Trip {
    const legs = legsOf(journey, this.#transit, this.#rounding.minutesOf);
    const boardings = journey.rides.filter(({ ready }) => ready !== null).length;
    return { travel_time, departs: departureTime(departure), transfers: boardings - 1, legs };
  }

  /** The lines of a journey; a line on which the rider stays seated is named once. */
  #linesOf({ rides }: Journey): string[] {
    const { routes } = this.#transit;
    const isNamed = (i: number) => rides[i].ready === null && rides[i].route === rides[i - 1].route;
    return rides.filter((_, i) => !isNamed(i)).map(({ route }) => routes[route]);
  }
}

/** The nearest-rank percentiles of the times of all departures. */
function percentilesOf(times: Float64Array): Record<string, Minutes | null> {
  const sorted = times.toSorted();
  return Object.fromEntries(
    SPREAD_PERCENTILES.map((percentile) => {
      const time = sorted[Math.ceil((percentile / 100) * sorted.length) - 1];
      return [String(percentile), time === Infinity ? null : time];
    }),
  );
}

/** Counts equal sequences of lines: the most frequent first, then in order of departure. */
function countedLines(sequences: readonly (readonly string[])[]): Spread['routes'] {
  const counts = new Map<string, { routes: readonly string[]; departures: number }>();
  for (const routes of sequences) {
    const key = JSON.stringify(routes);
    const counted = counts.get(key) ?? { routes, departures: 0 };
    counted.departures++;
    counts.set(key, counted);
  }
  return [...counts.values()].sort((a, b) => b.departures - a.departures);
}
