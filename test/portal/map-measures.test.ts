import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changesOf,
  comparisonOf,
  differenceClasses,
  laterOf,
  soonerOf,
} from '../../portal/pages/map/measures/comparison.ts';
import {
  cumulative,
  nearestReach,
  type Reach,
  reachClasses,
  reachesWithin,
} from '../../portal/pages/map/measures/reach.ts';
import { forAll } from '../support/for-all.ts';

/** Generates minutes by block, for some of 41 blocks. */
const times = fc.dictionary(
  fc.integer({ min: 100, max: 140 }).map(String),
  fc.integer({ min: 0, max: 60 }),
);
const within = fc.integer({ min: 5, max: 60 });

function reach(of: Readonly<Record<string, number>>): Reach {
  const entries = Object.entries(of).sort(([a], [b]) => Number(a) - Number(b));
  return {
    geoids: Float64Array.from(entries, ([geoid]) => Number(geoid)),
    minutes: Uint8Array.from(entries, ([, minutes]) => minutes),
  };
}

test('a comparison has the blocks of both reaches, classed by which of A and B is sooner', () =>
  forAll(300, times, times, within, (a, b, limit) => {
    const comparison = comparisonOf(reach(a), reach(b));
    const all = [...new Set([...Object.keys(a), ...Object.keys(b)])].map(Number);
    expect([...comparison.geoids]).toEqual(all.sort((one, other) => one - other));
    const classes = differenceClasses(comparison, limit);
    all.forEach((geoid, i) => {
      const [x, y] = [a, b].map((of) => (of[geoid] <= limit ? of[geoid] : undefined));
      let expected = 0;
      if (x !== undefined && y !== undefined) {
        const ahead = y - x;
        expected = 4;
        if (ahead > 2) expected = ahead > 10 ? 2 : 3;
        if (ahead < -2) expected = ahead < -10 ? 6 : 5;
      } else if (x !== undefined) expected = 1;
      else if (y !== undefined) expected = 7;
      expect([geoid, classes[i]]).toEqual([geoid, expected]);
    });
  }));

test('those who gain and lose by B are counted block by block, beyond a difference of two minutes', () =>
  forAll(300, times, times, within, (a, b, limit) => {
    const comparison = comparisonOf(reach(a), reach(b));
    const weights = Float64Array.from(comparison.geoids, (geoid) => geoid - 99);
    const expected = { gain: 0, alike: 0, lose: 0 };
    for (const geoid of comparison.geoids) {
      // Out of reach is later than any minute.
      const [x, y] = [a, b].map((of) => (of[geoid] <= limit ? of[geoid] : 1_000));
      if (x === 1_000 && y === 1_000) continue;
      if (x - y > 2) expected.gain += geoid - 99;
      else if (y - x > 2) expected.lose += geoid - 99;
      else expected.alike += geoid - 99;
    }
    expect(changesOf(comparison, weights, limit)).toEqual(expected);
  }));

test('the sums of A and B within some minutes add up to those of both and either', () =>
  forAll(300, times, times, within, (a, b, limit) => {
    const comparison = comparisonOf(reach(a), reach(b));
    const weights = Float64Array.from(comparison.geoids, (geoid) => geoid - 99);
    const sum = (of: Uint8Array) => cumulative(of, weights, limit)[limit];
    const expected = (of: Readonly<Record<string, number>>) =>
      Object.entries(of).reduce(
        (total, [geoid, minutes]) => total + (minutes <= limit ? Number(geoid) - 99 : 0),
        0,
      );
    expect(sum(comparison.a)).toBe(expected(a));
    expect(sum(comparison.b)).toBe(expected(b));
    expect(sum(laterOf(comparison)) + sum(soonerOf(comparison))).toBe(expected(a) + expected(b));
  }));

test('a reach is classed in steps of ten minutes up to the limit', () =>
  forAll(300, times, within, (of, limit) => {
    const { geoids, minutes } = reach(of);
    const classes = reachClasses(minutes, limit);
    geoids.forEach((geoid, i) => {
      const time = of[geoid];
      const tens = [10, 20, 30, 40, 50, 60].findIndex((end) => time <= end) + 1;
      expect([geoid, classes[i]]).toEqual([geoid, time <= limit ? tens : 0]);
    });
  }));

test('blocks near several sites have the least of their minutes, and the number of sites within a limit', () =>
  forAll(300, fc.array(times, { maxLength: 5 }), within, (sites, limit) => {
    const reaches = sites.map(reach);
    const nearest = nearestReach(reaches);
    const all = [...new Set(sites.flatMap((one) => Object.keys(one)))].sort();
    expect([...nearest.geoids]).toEqual(all.map(Number));
    const timesOf = (geoid: string) => sites.flatMap((one) => one[geoid] ?? []);
    expect([...(nearest.minutes as Float64Array)]).toEqual(
      all.map((geoid) => Math.min(...timesOf(geoid))),
    );
    expect([...reachesWithin(nearest, reaches, limit)]).toEqual(
      all.map((geoid) => timesOf(geoid).filter((one) => one <= limit).length),
    );
  }));
