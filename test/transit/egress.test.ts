import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLUSTER_SIZE, EgressBuilder } from '../../builder/transit/egress.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';

const NONE = 1 << 24;
/** Targets of a group: sixteen clusters of sixteen. */
const GROUP = 256;

test('walks are listed from each stop to each cluster of targets, the nearest stops first', () =>
  forAll(40, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const targetCount = dice.pick([0, 1, 15, 16, 17, 40, 300, 600]);
    const order = Array.from({ length: targetCount }, (_, target) => target);
    order.sort(() => dice.next() - 0.5);
    const walks = Array.from({ length: dice.below(7) }, () => {
      const share = dice.pick([0, 0.02, 0.4, 1]);
      return new Map(
        order.filter(() => dice.chance(share)).map((target) => [target, dice.below(20)]),
      );
    });
    const builder = new EgressBuilder(Int32Array.from(order));
    for (const ofStop of walks) {
      for (const [target, time] of ofStop) builder.add(target, time);
      builder.endStop();
    }
    const table = builder.finish();
    expect([...table.targets]).toEqual(order);

    const clusterCount = Math.ceil(targetCount / CLUSTER_SIZE);
    expect(table.firstPair.length).toBe(clusterCount + 1);
    const pairs = Array.from({ length: clusterCount }, (_, cluster) => {
      const own = order.slice(cluster * CLUSTER_SIZE, (cluster + 1) * CLUSTER_SIZE);
      const served = own.filter((target) => walks.some((ofStop) => ofStop.has(target)));
      return walks
        .map((ofStop, stop) => {
          const times = served.map((target) => ofStop.get(target) ?? NONE);
          const row = own.map((target) => ofStop.get(target) ?? NONE);
          const [nearest, farthest] = [Math.min(...times), Math.max(...times)];
          const unused = Array<number>(CLUSTER_SIZE - own.length).fill(NONE);
          return { stop, nearest, farthest, walks: [...row, ...unused] };
        })
        .filter(({ nearest }) => nearest < NONE)
        .sort((a, b) => a.nearest - b.nearest || a.stop - b.stop);
    });
    const found = Array.from({ length: clusterCount }, (_, cluster) => {
      const [first, end] = [table.firstPair[cluster], table.firstPair[cluster + 1]];
      return Array.from({ length: end - first }, (_, i) => ({
        stop: table.stop[first + i],
        nearest: table.nearest[first + i],
        farthest: table.farthest[first + i],
        walks: [...table.walks].slice((first + i) * CLUSTER_SIZE, (first + i + 1) * CLUSTER_SIZE),
      }));
    });
    expect(found).toEqual(pairs);
    const count = pairs.flat().length;
    expect([table.stop, table.nearest, table.farthest].map(({ length }) => length)).toEqual([
      count,
      count,
      count,
    ]);
    expect(table.walks.length).toBe(count * CLUSTER_SIZE);

    const groups = walks.map((ofStop) =>
      [
        ...new Set([...ofStop.keys()].map((target) => Math.floor(order.indexOf(target) / GROUP))),
      ].sort((a, b) => a - b),
    );
    expect(
      groups.map((_, stop) =>
        [...table.groups.subarray(table.firstGroup[stop], table.firstGroup[stop + 1])].sort(
          (a, b) => a - b,
        ),
      ),
    ).toEqual(groups);
    expect(table.groups.length).toBe(groups.flat().length);
  }));
