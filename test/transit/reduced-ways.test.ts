import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prunedTransfers } from '../../builder/transit/pruned-transfers.ts';
import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';

type Way = readonly [from: number, to: number];

test('reachability stays the same, whatever ways are left out', () =>
  forAll(200, fc.nat(), fc.integer({ min: 1, max: 6 }), (seed, trips) => {
    const { calls, ways } = randomCalls(seed, trips);
    const left = reduced(calls, ways);
    expect(leads(left, calls.rankOf.length)).toEqual(leads(ways, calls.rankOf.length));
  }));

test('a way is left out exactly if two ways over a call between replace it, from its call or later in the trip', () =>
  forAll(150, fc.nat(), fc.integer({ min: 1, max: 6 }), (seed, trips) => {
    const { calls, ways } = randomCalls(seed, trips);
    const callAt = (rank: number) => {
      const call = calls.rankOf.indexOf(rank);
      const trip = calls.firstCall.findLastIndex((first) => first <= call);
      return { call, trip };
    };
    const isCovered = ([from, to]: Way) =>
      ways.some(
        ([later, between]) =>
          callAt(later).trip === callAt(from).trip &&
          callAt(later).call >= callAt(from).call &&
          later < between &&
          ways.some(([a, b]) => a === between && b === to && a < b),
      );
    const expected = ways.filter((way) => way[0] > way[1] || !isCovered(way));
    const sorted = (some: readonly Way[]) =>
      some.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]).map((way) => way.join(' to '));
    expect(sorted(reduced(calls, ways))).toEqual(sorted(expected));
  }));

test('a way is left out if a ride in between covers it as well, from a later call of its trip', () => {
  // Trips of two, one and one calls. Ways lead from each call to the next, and one from the first
  // call directly to the last.
  const calls = { firstCall: Int32Array.of(0, 2, 3, 4), rankOf: Int32Array.of(0, 1, 2, 3) };
  const by: Way[] = [
    [0, 1],
    [1, 2],
    [2, 3],
  ];
  expect(reduced(calls, [...by, [0, 3]])).toEqual(by);
  const earlier: Way[] = [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ];
  expect(reduced(calls, earlier)).toEqual(earlier);
});

/**
 * Trips with interleaved calls, with ways from each call to the next, and random other ways, some
 * of them backwards.
 */
function randomCalls(seed: number, trips: number) {
  const dice = new Dice(seed);
  const lengths = Array.from({ length: trips }, () => 1 + dice.below(5));
  const firstCall = Int32Array.from([0, ...lengths]);
  const count = sumCounts(firstCall);
  const rankOf = new Int32Array(count);
  const next = firstCall.slice(0, trips);
  for (let place = 0; place < count; place++) {
    const waiting = lengths.flatMap((_, t) => (next[t] < firstCall[t + 1] ? [t] : []));
    rankOf[next[waiting[dice.below(waiting.length)]]++] = place;
  }
  const ways: Way[] = [];
  lengths.forEach((length, t) => {
    for (let call = firstCall[t]; call < firstCall[t] + length - 1; call++) {
      ways.push([rankOf[call], rankOf[call + 1]]);
    }
  });
  for (let i = dice.below(3 * count); i > 0; i--) {
    const [a, b] = [dice.below(count), dice.below(count)];
    const isBack = dice.chance(0.05);
    if (a !== b) ways.push(a < b === !isBack ? [a, b] : [b, a]);
  }
  return { calls: { firstCall, rankOf }, ways };
}

/** The ways that are kept, sorted by destination. */
function reduced(
  calls: { firstCall: Int32Array; rankOf: Int32Array },
  ways: readonly Way[],
): Way[] {
  const sorted = ways.toSorted(([, a], [, b]) => a - b);
  const firstSource = new Int32Array(calls.rankOf.length + 1);
  for (const [, to] of ways) firstSource[to + 1]++;
  sumCounts(firstSource);
  const kept = prunedTransfers(calls, {
    firstSource,
    sources: Int32Array.from(sorted, ([from]) => from),
  });
  expect(kept.sources.length).toBe(kept.firstSource.at(-1));
  return [...calls.rankOf.keys()].flatMap((to) =>
    Array.from(
      kept.sources.subarray(kept.firstSource[to], kept.firstSource[to + 1]),
      (from): Way => [from, to],
    ),
  );
}

/** For each rank, all ranks that it leads to by any number of ways. */
function leads(ways: readonly Way[], count: number): number[][] {
  return Array.from({ length: count }, (_, start) => {
    const found = new Set([start]);
    for (const from of found) for (const [a, to] of ways) if (a === from) found.add(to);
    return [...found].sort((a, b) => a - b);
  });
}
