import type { Footpaths } from '../../shards/transit/footpaths.ts';
import {
  ALIGHT,
  BOARD,
  buildTimetable,
  type ScheduledTrip,
} from '../../shards/transit/timetable.ts';
import type { Dice } from './dice.ts';

/** Times are small whole numbers, so that many are equal. */
export interface Network {
  readonly stopCount: number;
  readonly trips: readonly ScheduledTrip[];
  /** For each trip, the indices of the trips that its vehicle continues as. */
  readonly next: readonly (readonly number[])[];
  /** Times from arriving at a stop to the first departure that can be caught there or elsewhere. */
  readonly changes: readonly {
    readonly from: number;
    readonly to: number;
    readonly time: number;
  }[];
}

/**
 * A few lines with some trips each, which may overtake, call twice at a stop and continue as
 * others. In a hurried network, rides and changes often take no time, so vehicles wait for each
 * other.
 */
export function randomNetwork(dice: Dice): Network {
  const isHurried = dice.chance(0.4);
  let stopCount = 2 + dice.below(6);
  const trips: ScheduledTrip[] = [];
  for (let lines = 1 + dice.below(5); lines > 0; lines--) {
    const stops = Array.from({ length: 2 + dice.below(4) }, () => dice.below(stopCount));
    const rules = stops.map(() => dice.pick([3, 3, 3, 3, BOARD, ALIGHT, 0]));
    for (let more = 1 + dice.below(5); more > 0; more--) {
      let time = 90 + (isHurried ? 10 * dice.below(4) : dice.below(60));
      const arrivals: number[] = [];
      const departures = stops.map(() => {
        time += isHurried ? dice.pick([0, 0, 0, 10]) : dice.below(8);
        arrivals.push(time);
        time += isHurried ? 0 : dice.pick([0, 0, 1, 4]);
        return time;
      });
      trips.push({ stops, rules, arrivals, departures, route: lines });
    }
  }
  const onward = dice.pick([0, 0.03, 0.15]);
  const next = trips.map(({ arrivals }) =>
    trips.flatMap((to, i) =>
      to.arrivals[0] >= arrivals.at(-1)! && dice.chance(onward) ? [i] : [],
    ),
  );
  // Some stops are reached only by riders who stay seated.
  for (let more = dice.pick([0, 0, 1, 3]); more > 0; more--) {
    const from = dice.below(trips.length);
    const leaves = trips[from].arrivals.at(-1)! + dice.below(3);
    const arrivals = [leaves, leaves + dice.below(5)];
    next[from].push(trips.length);
    next.push([]);
    const stops = [trips[from].stops.at(-1)!, stopCount++];
    trips.push({ stops, rules: [0, ALIGHT], arrivals, departures: arrivals, route: 0 });
  }
  const changes = Array.from({ length: stopCount }, (_, from) =>
    Array.from({ length: stopCount }, (_, to) => ({
      from,
      to,
      time: isHurried ? dice.pick([0, 0, 3]) : dice.below(10),
    })),
  );
  return {
    stopCount,
    trips,
    next,
    changes: changes.flat().filter(({ from, to }) => dice.chance(from === to ? 0.9 : 0.25)),
  };
}

export function timetableOf({ stopCount, trips, next }: Network) {
  const continuations = next.flatMap((to, from) => to.map((t) => [trips[from], trips[t]] as const));
  return buildTimetable(stopCount, trips, continuations);
}

export function footpathsOf({ stopCount, changes }: Network): Footpaths {
  const ways = Array.from({ length: stopCount }, (_, stop) =>
    changes.filter(({ from }) => from === stop).sort((a, b) => a.time - b.time),
  );
  const first = [0];
  for (const list of ways) first.push(first.at(-1)! + list.length);
  return {
    first: Int32Array.from(first),
    ways: Int32Array.from(ways.flat().flatMap(({ to, time }) => [to, time])),
  };
}

/** A stop near an origin, and the time to it. */
export interface Access {
  readonly stop: number;
  readonly time: number;
}

/** Stops near a random origin: each stop of the network with a probability of 0.4. */
export function randomAccess(dice: Dice, { stopCount }: Network): Access[] {
  return Array.from({ length: stopCount }, (_, stop) => ({ stop, time: dice.below(12) })).filter(
    () => dice.chance(0.4),
  );
}

/**
 * The earliest arrival at each stop for a rider who can board at the given stops after `leaves`:
 * all trips are ridden again and again until nothing changes.
 */
export function earliest(
  { stopCount, trips, next, changes }: Network,
  from: readonly Access[],
  leaves: number,
): number[] {
  const ready = Array.from({ length: stopCount }, () => Infinity);
  const arrived = ready.slice();
  const seated = new Set<number>();
  for (const { stop, time } of from) ready[stop] = Math.min(ready[stop], leaves + time);
  for (let isNew = from.length > 0; isNew; ) {
    isNew = false;
    trips.forEach(({ stops, rules, arrivals, departures }, trip) => {
      let isAboard = seated.has(trip);
      stops.forEach((stop, call) => {
        if (isAboard && rules[call] & ALIGHT && arrivals[call] < arrived[stop]) {
          arrived[stop] = arrivals[call];
          for (const change of changes) {
            if (change.from !== stop) continue;
            ready[change.to] = Math.min(ready[change.to], arrivals[call] + change.time);
          }
          isNew = true;
        }
        if (rules[call] & BOARD && call < stops.length - 1 && ready[stop] <= departures[call]) {
          isAboard = true;
        }
      });
      for (const other of isAboard ? next[trip] : []) {
        if (seated.has(other)) continue;
        seated.add(other);
        isNew = true;
      }
    });
  }
  return arrived;
}
