import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEPARTURE_BITS, FastestDepartures } from '../../builder/transit/fastest-departures.ts';
import { LANES } from '../../builder/transit/lane-search.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import { drawArrivals } from './random-arrivals.ts';

test('the fastest departures to each stop from each origin are kept, the earlier of two as fast', () =>
  forAll(80, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const stopCount = 1 + dice.below(4);
    const limits = {
      departures: 64,
      step: 1 + dice.below(3),
      boardSlack: 0,
      limit: dice.below(90),
    };
    const wanted = 1 + dice.below(6);
    const fastest = new FastestDepartures(stopCount, limits, wanted);
    // Each window begins without the results of the one before.
    for (let windows = 0; windows < 2; windows++) {
      const opens = dice.below(100);
      fastest.begin(opens);
      const times = drawArrivals(dice, { stopCount, opens, ...limits }, fastest);
      const meant = times.map((byLane) =>
        byLane.map((ofDepartures) => {
          const within = [...ofDepartures].filter(([, time]) => time <= limits.limit);
          const sorted = within.sort(([a, s], [b, t]) => s - t || a - b);
          return sorted.slice(0, wanted).join(' ');
        }),
      );
      expect(keptBy(fastest, stopCount, limits.limit)).toEqual(meant);
      expect(fastest.stops.subarray(0, fastest.stopCount).toSorted()).toEqual(
        Int32Array.from(
          meant.flatMap((byLane, stop) => (byLane.some((kept) => kept !== '') ? [stop] : [])),
        ),
      );
    }
  }));

test('more departures than fit beside a time are refused', () => {
  const limits = { departures: 65, step: 1, boardSlack: 0, limit: 60 };
  expect(() => new FastestDepartures(1, limits, 6)).toThrow('too many departures');
});

/** Departures and their times up to a limit, by stop and lane, in the order of `keys`. */
function keptBy({ keys, wanted }: FastestDepartures, stopCount: number, limit: number): string[][] {
  return Array.from({ length: stopCount }, (_, stop) =>
    Array.from({ length: LANES }, (_, lane) => {
      const first = (stop * LANES + lane) * wanted;
      return [...keys.subarray(first, first + wanted)]
        .map((key) => [key & 63, key >> DEPARTURE_BITS])
        .filter(([, time]) => time <= limit)
        .join(' ');
    }),
  );
}
