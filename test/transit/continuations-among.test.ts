import fc from 'fast-check';
import { expect, test } from 'vitest';
import { continuationsAmong } from '../../builder/transit/continuations-among.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import { randomNetwork, timetableOf } from './random-network.ts';

test('riders who stay seated continue in the next trips of a set, past trips outside it, and no further', () =>
  forAll(200, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const timetable = timetableOf(randomNetwork(dice));
    const { firstTrip, patternCount, firstContinuation, continuations } = timetable;
    const trips = [...Array(firstTrip[patternCount]).keys()];
    const after = trips.map((trip) =>
      Array.from({ length: firstContinuation[trip + 1] - firstContinuation[trip] }, (_, i) => {
        const [pattern, t] = continuations.subarray(2 * (firstContinuation[trip] + i));
        return firstTrip[pattern] + t;
      }),
    );
    const among = new Set(trips.filter(() => dice.chance(0.5)));
    for (const from of trips) {
      // Step by step, through trips that are outside the set.
      let riding = after[from];
      const found = new Set<number>();
      for (let steps = 0; steps < trips.length; steps++) {
        for (const trip of riding) if (among.has(trip) && trip !== from) found.add(trip);
        riding = riding.filter((trip) => !among.has(trip)).flatMap((trip) => after[trip]);
      }
      const listed = [...continuationsAmong(timetable, from, (trip) => among.has(trip))];
      expect(listed.sort((a, b) => a - b)).toEqual([...found].sort((a, b) => a - b));
    }
  }));
