import { expect, test } from 'vitest';
import { fastestTrips, type Journey, legsOf } from '../../proxy/queries/journeys/journey.ts';
import { runToCompletion } from '../../shards/concurrency/run-to-completion.ts';
import { toMinutes } from '../../shards/matrix/rounded-times.ts';
import { ALIGHT, BOARD, buildTimetable } from '../../shards/transit/timetable.ts';
import type { CountyTransit } from '../../shards/transit/transit-table.ts';

const MINUTE = 60_000;
const OPENS = 480 * MINUTE;

/** A trip of calls: stop, arrival and departure, in minutes after the window opens. */
function trip(route: number, ...calls: readonly (readonly [number, number, number])[]) {
  return {
    stops: calls.map(([stop]) => stop),
    rules: calls.map(() => BOARD | ALIGHT),
    arrivals: calls.map(([, arrives]) => OPENS + arrives * MINUTE),
    departures: calls.map(([, , departs]) => OPENS + departs * MINUTE),
    route,
  };
}

/** A line to bay 1, whose vehicle waits at bay 2 and continues north as another line. */
function transit(): CountyTransit {
  const long = trip(0, [0, 2, 2], [1, 5, 5]);
  const north = trip(1, [2, 6, 15], [3, 18, 18]);
  return {
    windowStart: OPENS,
    departures: 1,
    step: MINUTE,
    boardSlack: MINUTE,
    stops: ['Start', 'Bay 1', 'Bay 2', 'North'],
    routes: ['Long', 'Second'],
    timetable: buildTimetable(4, [long, north], [[long, north]]),
    footpaths: { first: new Int32Array(5), ways: new Int32Array(0) },
  };
}

/** Length and legs of a journey to a stop, with four minutes on foot from there. */
function legsTo(stop: number) {
  const access = { stops: [0], times: [MINUTE] };
  const egress = { stops: [stop], times: [4 * MINUTE] };
  let found: Journey | undefined;
  const destination = {
    egress,
    range: { first: 0, end: 1 },
    longest: 60 * MINUTE,
    visit(_departure: number, _length: number, journey: () => Journey) {
      found = journey();
      return true;
    },
  };
  runToCompletion(fastestTrips(transit(), access, [destination]));
  const journey = found!;
  return { length: toMinutes(journey.length), legs: legsOf(journey, transit(), toMinutes) };
}

const START = [
  { kind: 'walk', minutes: 1, to_stop: 'Start' },
  { kind: 'wait', minutes: 1, from_stop: 'Start' },
  { kind: 'ride', minutes: 3, route: 'Long', from_stop: 'Start', to_stop: 'Bay 1' },
];

test('riders who stay seated wait in the vehicle, as a part of the next ride', () => {
  expect(legsTo(3)).toEqual({
    length: 22,
    legs: [
      ...START,
      { kind: 'ride', minutes: 13, route: 'Second', from_stop: 'Bay 1', to_stop: 'North' },
      { kind: 'walk', minutes: 4, from_stop: 'North' },
    ],
  });
});

test('riders who stay seated may leave where the next trip begins, before it departs', () => {
  expect(legsTo(2)).toEqual({
    length: 10,
    legs: [
      ...START,
      { kind: 'ride', minutes: 1, route: 'Second', from_stop: 'Bay 1', to_stop: 'Bay 2' },
      { kind: 'walk', minutes: 4, from_stop: 'Bay 2' },
    ],
  });
});
