import { expect, test } from 'vitest';
import { patternsAmong } from '../../builder/transit/patterns-among.ts';
import {
  ALIGHT,
  BOARD,
  buildTimetable,
  type TripContinuation,
} from '../../shards/transit/timetable.ts';

const MINUTE = 60_000;

/** A trip that takes a minute from stop to stop. */
function trip(leaves: number, ...stops: readonly number[]) {
  const times = stops.map((_, call) => (leaves + call) * MINUTE);
  return {
    stops,
    rules: stops.map((_, call) => (call === 0 ? BOARD : BOARD | ALIGHT)),
    arrivals: times,
    departures: times,
    route: leaves,
  };
}

test('the patterns among some stops equal those of a timetable without any others, except for continuations', () => {
  const near = [trip(10, 0, 1), trip(20, 0, 1), trip(0, 2, 1, 0), trip(30, 1, 0, 1)];
  const onward = trip(12, 1, 3);
  const beyond = trip(14, 3, 4, 5);
  const far = [trip(10, 3, 4), trip(11, 5, 6)];
  const continuations: TripContinuation[] = [
    [near[0], onward],
    [near[1], near[3]],
    [onward, beyond],
  ];
  const all = buildTimetable(7, [...far, ...near, beyond, onward], continuations);
  const own = buildTimetable(7, [...near, onward, beyond], continuations);
  expect(patternsAmong(all, [0])).toEqual(own);
  expect(patternsAmong(own, [0])).toBe(own);
});
