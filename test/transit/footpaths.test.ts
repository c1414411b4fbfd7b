import { expect, test } from 'vitest';
import {
  buildFootpaths,
  delayedFootpaths,
  type StopWalk,
  type TransferRule,
} from '../../builder/transit/build-footpaths.ts';
import type { Footpaths } from '../../shards/transit/footpaths.ts';

const SLACK = 60;

/** The ways from each stop, as in `1 in 60`. */
function ways(
  stopCount: number,
  walks: readonly StopWalk[],
  rules: readonly Omit<TransferRule, 'minimum'>[] | readonly TransferRule[] = [],
): string[] {
  const all = rules.map((rule) => ({ minimum: 0, ...rule }));
  return listed(stopCount, buildFootpaths(stopCount, walks, all, SLACK));
}

function listed(stopCount: number, { first, ways }: Footpaths): string[] {
  expect(ways).toHaveLength(2 * first[stopCount]);
  return Array.from({ length: stopCount }, (_, stop) => {
    const list: string[] = [];
    for (let way = first[stop]; way < first[stop + 1]; way++) {
      list.push(`${ways[2 * way]} in ${ways[2 * way + 1]}`);
    }
    return list.join(', ');
  });
}

function walk(from: number, to: number, time: number, levels = 0): StopWalk {
  return { from, to, time, levels };
}

test('a rider changes at the stop itself after the time for boarding, and elsewhere after the walk as well', () => {
  expect(ways(3, [walk(0, 1, 100), walk(2, 0, 30)])).toEqual([
    '0 in 60, 1 in 160',
    '1 in 60',
    '2 in 60, 0 in 90',
  ]);
});

test('shorter ways come first, and of two equally long ones that to the lower stop', () => {
  const walks = [walk(1, 3, 90), walk(1, 2, 10), walk(1, 0, 90), walk(1, 4, 40)];
  expect(ways(5, walks)[1]).toBe('1 in 60, 2 in 70, 4 in 100, 0 in 150, 3 in 150');
});

test('the shortest of several walks counts, whichever is given first', () => {
  expect(ways(2, [walk(0, 1, 50), walk(0, 1, 20), walk(0, 1, 70)])[0]).toBe('0 in 60, 1 in 80');
});

test('a rule forbids a change, leaves only the walk, or sets a minimum, from one stop to the other', () => {
  const walks = [walk(0, 1, 100), walk(1, 0, 100)];
  const by = (kind: TransferRule['kind'], minimum = 0) =>
    ways(2, walks, [{ from: 1, to: 0, kind, minimum }]);
  expect(by('never')).toEqual(['0 in 60, 1 in 160', '1 in 60']);
  expect(by('timed')).toEqual(['0 in 60, 1 in 160', '1 in 60, 0 in 100']);
  expect(by('usual')).toEqual(['0 in 60, 1 in 160', '1 in 60, 0 in 160']);
  expect(by('minimum', 130)).toEqual(['0 in 60, 1 in 160', '1 in 60, 0 in 130']);
  expect(ways(1, [], [{ from: 0, to: 0, kind: 'never' }])).toEqual(['']);
});

test('a minimum creates no walk and shortens none, but includes the levels that were assumed', () => {
  const rule = { from: 0, to: 1, kind: 'minimum', minimum: 30 } as const;
  expect(ways(2, [], [rule])[0]).toBe('0 in 60');
  expect(ways(2, [walk(0, 1, 100, 45)], [rule])[0]).toBe('1 in 55, 0 in 60');
  expect(ways(2, [walk(0, 1, 100, 45)])[0]).toBe('0 in 60, 1 in 160');
  // Vehicles that wait for each other wait for a rider on the stairs as well.
  const timed = { from: 0, to: 1, kind: 'timed' } as const;
  expect(ways(2, [walk(0, 1, 100, 45)], [timed])[0]).toBe('0 in 60, 1 in 100');
});

test('of two walks, one may be the shorter with the levels assumed, the other without', () => {
  const walks = [walk(0, 1, 100, 60), walk(0, 1, 80, 10)];
  const rule = { from: 0, to: 1, kind: 'minimum', minimum: 0 } as const;
  for (const given of [walks, walks.toReversed()]) {
    expect(ways(2, given)[0]).toBe('0 in 60, 1 in 140');
    expect(ways(2, given, [rule])[0]).toBe('1 in 40, 0 in 60');
  }
});

test('delayed footpaths are those that others have too, no sooner than theirs', () => {
  const [own, others] = [
    [walk(0, 1, 100), walk(0, 2, 50), walk(0, 3, 20), walk(1, 0, 10)],
    [walk(0, 1, 90), walk(0, 2, 200), walk(1, 0, 10), walk(1, 3, 5)],
  ].map((walks) => buildFootpaths(4, walks, [], SLACK));
  expect(listed(4, delayedFootpaths(own, others))).toEqual([
    '0 in 60, 1 in 160, 2 in 260',
    '1 in 60, 0 in 70',
    '2 in 60',
    '3 in 60',
  ]);
});
