import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildTripTransfers,
  NO_ALIGHTING,
  type TripTransfers,
} from '../../builder/transit/trip-transfers.ts';
import {
  ALIGHT,
  BOARD,
  buildTimetable,
  type ScheduledTrip,
  type Timetable,
} from '../../shards/transit/timetable.ts';
import { withReads } from '../support/array-reads.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import { footpathsOf, randomNetwork, timetableOf } from './random-network.ts';

/** A call as it is stored: `transfers` are trips and positions in them. */
interface Call {
  readonly arrival: number;
  readonly stop: number;
  readonly transfers: readonly (readonly [trip: number, position: number])[];
}

function drawn(seed: number) {
  const dice = new Dice(seed);
  const network = randomNetwork(dice);
  const limit = 5 + dice.below(60);
  const timetable = timetableOf(network);
  const transfers = buildTripTransfers(timetable, footpathsOf(network), limit);
  return { network, limit, timetable, trips: callsOf(transfers) };
}

/** The calls of all trips, and the pattern of each. */
function callsOf({ firstCall, patternOf, start, calls, positionBits }: TripTransfers) {
  return Array.from(patternOf, (pattern, trip) => {
    const ofTrip: Call[] = [];
    for (let call = firstCall[trip]; call < firstCall[trip + 1]; call++) {
      const [arrival, stop, count] = calls.subarray(start[call]);
      const first = start[call] + 3;
      const transfers = Array.from(
        calls.subarray(first, first + count),
        (one) => [one >>> positionBits, one & ((1 << positionBits) - 1)] as const,
      );
      ofTrip.push({ arrival, stop, transfers });
    }
    return { pattern, calls: ofTrip };
  });
}

type Trips = ReturnType<typeof callsOf>;

const rulesOf = ({ firstCall, callRules }: Timetable, pattern: number, position: number) =>
  callRules[firstCall[pattern] + position];

/** Earliest arrivals by a transfer to a position of a trip, by stop, no later than `latest`. */
function arrivalsBy(trips: Trips, [trip, position]: readonly [number, number], latest: number) {
  const arrivals = new Map<number, number>();
  for (const { stop, arrival } of trips[trip].calls.slice(position + 1)) {
    if (arrival > latest || stop === NO_ALIGHTING) continue;
    arrivals.set(stop, Math.min(arrivals.get(stop) ?? Infinity, arrival));
  }
  return arrivals;
}

test('the calls of each trip are those of the timetable, in order, with stops where riders may alight', () =>
  forAll(100, fc.nat(), (seed) => {
    const { network, trips, timetable } = drawn(seed);
    const written = network.trips.map(({ stops, rules, arrivals }) =>
      stops.map((stop, i) => (rules[i] & ALIGHT ? `${stop}@${arrivals[i]}` : arrivals[i])).join(),
    );
    const read = trips.map(({ calls }) =>
      calls.map(({ stop, arrival }) => (stop === NO_ALIGHTING ? arrival : `${stop}@${arrival}`)),
    );
    expect(read.map((calls) => calls.join()).toSorted()).toEqual(written.toSorted());
    trips.forEach(({ pattern }, trip) => {
      expect(trip).toBeGreaterThanOrEqual(timetable.firstTrip[pattern]);
      expect(trip).toBeLessThan(timetable.firstTrip[pattern + 1]);
    });
  }));

test('a transfer is to the first trip that can be caught, where riders may board and then ride on', () =>
  forAll(100, fc.nat(), (seed) => {
    const { network, limit, trips, timetable } = drawn(seed);
    const departure = (trip: number, position: number) => {
      const { firstTrip, firstTime, tripCount, departures } = timetable;
      const { pattern } = trips[trip];
      return departures[
        firstTime[pattern] + position * tripCount[pattern] + trip - firstTrip[pattern]
      ];
    };
    for (const { calls } of trips) {
      for (const { arrival, stop, transfers } of calls) {
        for (const [trip, position] of transfers) {
          const { pattern, calls: onward } = trips[trip];
          expect(rulesOf(timetable, pattern, position) & BOARD).toBe(BOARD);
          expect(position).toBeLessThan(onward.length - 1);
          const leaves = departure(trip, position);
          expect(leaves).toBeLessThanOrEqual(arrival + limit);
          const boardedAt = timetable.callStop[timetable.firstCall[pattern] + position];
          const change = network.changes.find(({ from, to }) => from === stop && to === boardedAt);
          expect(arrival + change!.time).toBeLessThanOrEqual(leaves);
          if (trip === timetable.firstTrip[pattern]) continue;
          expect(arrival + change!.time).toBeGreaterThan(departure(trip - 1, position));
        }
      }
    }
  }));

test('each transfer leads somewhere earlier than staying on, transferring later, or any other transfer', () =>
  forAll(200, fc.nat(), (seed) => {
    const { limit, trips, timetable } = drawn(seed);
    for (const { calls } of trips) {
      calls.forEach(({ arrival, transfers }, at) => {
        const later = new Map<number, number>();
        const reach = (stop: number, time: number) =>
          later.set(stop, Math.min(later.get(stop) ?? Infinity, time));
        for (const call of calls.slice(at)) {
          if (call.stop !== NO_ALIGHTING) reach(call.stop, call.arrival);
        }
        for (const call of calls.slice(at + 1)) {
          for (const transfer of call.transfers) {
            arrivalsBy(trips, transfer, call.arrival + limit).forEach((time, stop) => {
              reach(stop, time);
            });
          }
        }
        const here = transfers.map((transfer) => arrivalsBy(trips, transfer, arrival + limit));
        transfers.forEach(([trip], i) => {
          const { pattern } = trips[trip];
          const isBoardedLater = calls
            .slice(at + 1)
            .some((call) =>
              call.transfers.some(([other]) => trips[other].pattern === pattern && other <= trip),
            );
          // Riders of a trip that continues may stay seated, and so get elsewhere.
          if (timetable.hasContinuations[pattern] && !isBoardedLater) return;
          const isFirst = [...here[i]].some(
            ([stop, time]) =>
              time < (later.get(stop) ?? Infinity) &&
              here.every((other) => time <= (other.get(stop) ?? Infinity)),
          );
          expect(isFirst).toBe(true);
        });
      });
    }
  }));

test('where any transfer leads, staying on or a kept transfer leads no later, from the same call or a later one', () =>
  forAll(60, fc.nat(), (seed) => {
    const { network, limit, timetable, trips } = drawn(seed);
    const { firstCall, callStop, firstTrip, departures, firstTime, tripCount } = timetable;
    /** Every position of a trip at which riders may board, with its stop and departure. */
    const boardings = trips.flatMap(({ pattern, calls }, trip) =>
      calls.slice(0, -1).flatMap((_, position) => {
        if (!(rulesOf(timetable, pattern, position) & BOARD)) return [];
        const at = firstTime[pattern] + position * tripCount[pattern] + trip - firstTrip[pattern];
        const stop = callStop[firstCall[pattern] + position];
        return [{ trip, position, stop, leaves: departures[at] }];
      }),
    );
    for (const { calls } of trips) {
      // Earliest arrivals at each stop by kept transfers, from the trip's last call to the first.
      const kept = new Map<number, number>();
      const aboard = new Map<number, number>();
      const reach = (stop: number, time: number) =>
        kept.set(stop, Math.min(kept.get(stop) ?? Infinity, time));
      for (const { arrival, stop, transfers } of calls.toReversed()) {
        if (stop !== NO_ALIGHTING) reach(stop, arrival);
        for (const transfer of transfers) {
          const { pattern } = trips[transfer[0]];
          aboard.set(pattern, Math.min(aboard.get(pattern) ?? Infinity, transfer[0]));
          arrivalsBy(trips, transfer, arrival + limit).forEach((time, to) => {
            reach(to, time);
          });
        }
        const ways = network.changes.filter(({ from }) => from === stop);
        for (const { trip, position, stop: from, leaves } of boardings) {
          const isCaught = ways.some(({ to, time }) => to === from && arrival + time <= leaves);
          if (!isCaught || leaves > arrival + limit) continue;
          for (const [to, time] of arrivalsBy(trips, [trip, position], arrival + limit)) {
            expect(kept.get(to) ?? Infinity).toBeLessThanOrEqual(time);
          }
          // Riders who may stay seated could also wait for the later trips of the pattern.
          const { pattern } = trips[trip];
          if (!timetable.hasContinuations[pattern]) continue;
          expect(aboard.get(pattern) ?? Infinity).toBeLessThanOrEqual(trip);
        }
      }
    }
  }));

/** A trip that calls at one stop per minute, and may be boarded and left at each. */
function trip(leaves: number, ...stops: readonly number[]): ScheduledTrip {
  const times = stops.map((_, call) => leaves + call);
  const rules = stops.map(() => BOARD | ALIGHT);
  return { stops, rules, arrivals: times, departures: times, route: 0 };
}

/** Footpaths of the given ways between stops, each from a stop, to a stop, in some time. */
function footpathsBy(stopCount: number, ways: readonly (readonly [number, number, number])[]) {
  const changes = ways.map(([from, to, time]) => ({ from, to, time }));
  return footpathsOf({ stopCount, changes, trips: [], next: [] });
}

test.each([
  ['slower than the vehicle', 2],
  ['as fast as the vehicle', 1],
])('walks on along a line, %s, are not looked up with every arrival', (_, pace) => {
  // A line calls at stops 1 to 5; riders walk from stop 0 to the first of them, or to four.
  const lookUps = (arriving: number, walked: number) => {
    const feeders = Array.from({ length: arriving }, (_, i) => trip(i, 6, 0));
    const line = Array.from({ length: 20 }, (_, i) => trip(5 * i, 1, 2, 3, 4, 5));
    const timetable = buildTimetable(7, [...feeders, ...line]);
    const departures = withReads(timetable.departures);
    const ways = Array.from({ length: walked }, (_, i) => [0, 1 + i, 3 + pace * i] as const);
    const found = buildTripTransfers(
      { ...timetable, departures: departures.counted },
      footpathsBy(7, ways),
      200,
    );
    const boarded = callsOf(found).flatMap(({ calls }) => calls.flatMap((one) => one.transfers));
    expect(new Set(boarded.map(([, position]) => position))).toEqual(new Set([0]));
    return departures.positions.length;
  };
  expect(lookUps(60, 4) - lookUps(60, 1)).toBe(lookUps(5, 4) - lookUps(5, 1));
});

test('a trip that riders could be aboard already is ridden only from where they board it earlier', () => {
  // Three other trips call near each call of the first one, along stops beside it.
  const rides = (calls: number) => {
    const along = Array.from({ length: calls }, (_, i) => i);
    const beside = along.map((stop) => calls + stop);
    const trips = [trip(0, ...along), ...[2, 4, 6].map((leaves) => trip(leaves, ...beside))];
    const timetable = buildTimetable(2 * calls, trips);
    const callStop = withReads(timetable.callStop);
    const ways = along.map((stop) => [stop, calls + stop, 1] as const);
    buildTripTransfers(
      { ...timetable, callStop: callStop.counted },
      footpathsBy(2 * calls, ways),
      500,
    );
    return callStop.positions.length;
  };
  // Ten times the calls take ten times the work, not a hundred times.
  expect(rides(200) / rides(20)).toBeLessThan(11);
});

test('a position takes no more bits than the longest trip needs', () => {
  for (const [calls, bits] of [
    [2, 2],
    [3, 2],
    [4, 3],
    [15, 4],
    [16, 5],
  ]) {
    const trips = [trip(0, 0, 1), trip(2, ...Array.from({ length: calls }, (_, i) => i))];
    const timetable = buildTimetable(16, trips);
    expect(buildTripTransfers(timetable, footpathsBy(16, []), 60).positionBits).toBe(bits);
  }
});
