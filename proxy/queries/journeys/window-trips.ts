import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import { clockTime } from '../../../shards/services.ts';
import type { CountyTransit, StopWalks } from '../../../shards/transit/transit-table.ts';
import type { Millis, Minutes } from '../../../shards/units.ts';
import {
  type DepartureRange,
  type Destination,
  type Journey,
  type Leg,
  legsOf,
} from './journey.ts';

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

export type ExplainedTrip = Trip & { readonly spread?: Spread };

/** The spread of a trip to a place that no trip reaches. */
export function noSpread(departures: number): Spread {
  const minutes = SPREAD_PERCENTILES.map((percentile) => [String(percentile), null]);
  return { departures, as_fast: 0, minutes: Object.fromEntries(minutes), routes: [] };
}

/** A trip without rides by transit; beyond reach if it has no time. */
export function streetTrip(kind: Leg['kind'], minutes: Minutes | undefined): Trip {
  const legs = minutes === undefined ? [] : [{ kind, minutes }];
  return { travel_time: minutes ?? null, departs: null, transfers: 0, legs };
}

export interface TripOptions {
  /** A departure of the window, to be explained instead of the stored time. */
  readonly departure?: number | undefined;
  readonly spread: boolean;
}

/** The times of a trip that the release states; undefined beyond reach. */
interface StoredTimes {
  readonly time: Minutes | undefined;
  readonly onFoot: Minutes | undefined;
}

/**
 * A trip by transit to a place, found by a search of the window: that of the first departure that
 * takes the stored time, or of a given departure; on foot all the way where that takes no longer.
 */
export class WindowTrip implements Destination {
  readonly egress: StopWalks;
  readonly range: DepartureRange;
  readonly longest: Millis;
  readonly #transit: CountyTransit;
  /** Minutes of the local day at which the window opens. */
  readonly #opens: Minutes;
  readonly #rounding: Rounding;
  readonly #stored: StoredTimes;
  readonly #options: TripOptions;
  /** Longest trip that counts, in minutes. */
  readonly #most: Minutes;
  #trip: Trip | undefined;
  /** Fastest times by departure; Infinity beyond reach. */
  readonly #times: Float64Array;
  readonly #lines: (readonly string[])[];

  constructor(
    transit: CountyTransit,
    opens: Minutes,
    egress: StopWalks,
    rounding: Rounding,
    stored: StoredTimes,
    options: TripOptions,
  ) {
    this.egress = egress;
    this.#transit = transit;
    this.#opens = opens;
    this.#rounding = rounding;
    this.#stored = stored;
    this.#options = options;
    const { departures } = transit;
    const { departure, spread } = options;
    const isOne = departure !== undefined && !spread;
    this.range = isOne ? { first: departure, end: departure + 1 } : { first: 0, end: departures };
    const isOfStored = departure === undefined && !spread;
    this.#most = isOfStored ? (stored.time ?? 0) : rounding.most;
    this.longest = rounding.longest(this.#most);
    const kept = spread ? departures : 0;
    this.#times = new Float64Array(kept).fill(stored.onFoot ?? Infinity);
    this.#lines = new Array<readonly string[]>(kept).fill([]);
  }

  visit(departure: number, length: Millis, journey: () => Journey): boolean {
    const time = this.#rounding.minutesOf(length);
    if (time > this.#most) return false;
    if (this.#isWanted(departure, time)) this.#trip = this.#tripOf(departure, time, journey());
    if (!this.#options.spread) return this.#trip !== undefined;
    if (time < this.#times[departure]) {
      this.#times[departure] = time;
      this.#lines[departure] = this.#linesOf(journey());
    }
    return false;
  }

  #isWanted(departure: number, time: Minutes): boolean {
    const { time: stored, onFoot } = this.#stored;
    if (time >= (onFoot ?? Infinity)) return false;
    if (this.#options.departure !== undefined) return departure === this.#options.departure;
    return time === stored && this.#trip === undefined;
  }

  /** The trip, once the window is searched; undefined if no departure takes the stored time. */
  get found(): ExplainedTrip | undefined {
    const { time, onFoot } = this.#stored;
    const { departure, spread } = this.#options;
    const isWalked = departure !== undefined || time === onFoot;
    const trip = this.#trip ?? (isWalked ? streetTrip('walk', onFoot) : undefined);
    return trip && spread ? { ...trip, spread: this.#spread() } : trip;
  }

  #spread(): Spread {
    const { time } = this.#stored;
    const [times, lines] = [this.#times, this.#lines];
    const reached = lines.filter((_, departure) => times[departure] < Infinity);
    const as_fast = time === undefined ? 0 : times.filter((one) => one <= time).length;
    const { departures } = this.#transit;
    return { departures, as_fast, minutes: percentilesOf(times), routes: countedLines(reached) };
  }

  #tripOf(departure: number, travel_time: Minutes, journey: Journey): Trip {
    const legs = legsOf(journey, this.#transit, this.#rounding.minutesOf);
    const departs = clockTime(this.#opens + departure);
    const boardings = journey.rides.filter(({ ready }) => ready !== null).length;
    return { travel_time, departs, transfers: boardings - 1, legs };
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
    getOrInsertComputed(counts, key, () => ({ routes, departures: 0 })).departures++;
  }
  return [...counts.values()].sort((a, b) => b.departures - a.departures);
}
