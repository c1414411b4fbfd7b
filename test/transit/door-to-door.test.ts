import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DoorToDoor } from '../../builder/transit/door-to-door.ts';
import {
  CLUSTER_SHIFT,
  CLUSTER_SIZE,
  EgressBuilder,
  type EgressTable,
  GROUP_SHIFT,
} from '../../builder/transit/egress.ts';
import {
  DEPARTURE_BITS,
  FastestDepartures,
  NO_TIME,
} from '../../builder/transit/fastest-departures.ts';
import { LANES } from '../../builder/transit/lane-search.ts';
import { withReads } from '../support/array-reads.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import { drawArrivals } from './random-arrivals.ts';

test('the only route is taken, whose duration equals both its own bound and the trip limit', () => {
  const [limit, step, walk, never] = [250_000, 60_000, 50_000, 250_001];
  const [stop, lane] = [1, 15];
  const limits = { departures: 1, step, boardSlack: 0, limit };
  const fastest = new FastestDepartures(2, limits, 1);
  fastest.begin(0);
  fastest.arrive(stop, lane, 200_000, 0, 0);
  const egress = new EgressBuilder(Int32Array.of(0));
  egress.endStop();
  egress.add(0, walk);
  egress.endStop();
  const search = new DoorToDoor(egress.finish(), fastest, fastest.wanted, {
    split: 1,
    limits: [limit, limit],
  });
  const times = Int32Array.of(never);
  search.run();
  expect(search.lower(lane, times)).toBe(1);
  expect([...times]).toEqual([250_000]);
});

test('the time to a target is the n-th shortest over the departures, each by its best stop', () =>
  forAll(40, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const stopCount = 1 + dice.below(12);
    const targetCount = dice.pick([1, 15, 16, 17, 40, 40, 40, 300]);
    const upTo = {
      split: dice.below(targetCount + 1),
      limits: [20 + dice.below(60), 20 + dice.below(60)],
    } as const;
    const limits = { departures: 60, step: 2, boardSlack: 0, limit: Math.max(...upTo.limits) };
    const wanted = 1 + dice.below(dice.pick([6, 60]));
    const walks = randomWalks(dice, stopCount, targetCount);
    const fastest = new FastestDepartures(stopCount, limits, wanted);
    // Searches for several ranks share the departures that are kept for the highest.
    const egress = egressOf(walks, targetCount);
    const searches = [wanted, 1 + dice.below(wanted)].map((rank) => {
      return { rank, search: new DoorToDoor(egress, fastest, rank, upTo) };
    });
    // One search serves window after window.
    for (let windows = 0; windows < 2; windows++) {
      const opens = dice.below(100);
      fastest.begin(opens);
      const alighted = drawArrivals(dice, { stopCount, opens, ...limits }, fastest);
      for (const { search } of searches) search.run();
      for (let lane = 0; lane < LANES; lane++) {
        for (const { rank, search } of searches) {
          const direct = Int32Array.from({ length: targetCount }, () => 5 + dice.below(90));
          const times = direct.slice();
          const lowered = search.lower(lane, times);
          const byLane = alighted.map((ofStop) => ofStop[lane]);
          const meant = direct.map((walk, target) => {
            const limit = upTo.limits[target < upTo.split ? 0 : 1];
            const time = wantedTime(byLane, walks, target, rank);
            return time <= limit && time < walk ? time : walk;
          });
          expect(times.join()).toBe(meant.join());
          expect(search.lowered.slice(0, lowered).sort().join()).toBe(
            [...direct.keys()].filter((target) => meant[target] < direct[target]).join(),
          );
        }
      }
    }
  }));

test('no walk is read from a stop that the bounds of its cluster exclude for all lanes', () =>
  forAll(60, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const stopCount = 2 + dice.below(12);
    const targetCount = dice.pick([1, 15, 16, 40]);
    const [split, near, far] = [dice.below(targetCount + 1), 10 + dice.below(60), 30];
    const upTo = { split, limits: [near, far] } as const;
    const limits = { departures: 60, step: 2, boardSlack: 0, limit: Math.max(near, far) };
    const wanted = 1 + dice.below(3);
    // Every stop has a walk to every target, so that one stop alone may lead to all.
    const walks = Array.from({ length: stopCount }, () => {
      const at = dice.below(60);
      return new Map(
        Array.from({ length: targetCount }, (_, i) => [i, at + dice.below(8)] as const),
      );
    });
    const fastest = new FastestDepartures(stopCount, limits, wanted);
    fastest.begin(0);
    drawArrivals(dice, { stopCount, opens: 0, ...limits }, fastest);
    const table = egressOf(walks, targetCount);
    const timesIn = (egress: EgressTable) => {
      const search = new DoorToDoor(egress, fastest, fastest.wanted, upTo);
      search.run();
      return Array.from({ length: LANES }, (_, lane) => {
        const times = new Int32Array(targetCount).fill(1_000);
        search.lower(lane, times);
        return times.join();
      });
    };
    // Excluded walks become 0, as if their stops were next to each target.
    const harmed = { ...table, walks: table.walks.slice() };
    for (const pair of excluded(table, fastest, upTo)) {
      harmed.walks.fill(0, pair << CLUSTER_SHIFT, (pair + 1) << CLUSTER_SHIFT);
    }
    expect(timesIn(harmed)).toEqual(timesIn(table));
  }));

test('departures are compared one by one only where another stop has a faster one', () => {
  const [near, far, lane] = [0, 1, 3];
  // By the near stop, the second-fastest departure takes 12 + 5.
  const search = (shortestByFar: number) => {
    const limits = { departures: 60, step: 1, boardSlack: 0, limit: 100 };
    const fastest = new FastestDepartures(2, limits, 2);
    fastest.begin(0);
    fastest.arrive(near, lane, 10, 0, 0);
    fastest.arrive(near, lane, 1 + 12, 1, 1);
    fastest.arrive(far, lane, 2 + shortestByFar, 2, 2);
    fastest.arrive(far, lane, 3 + 40, 3, 3);
    const walks = [
      [5, 6, 7],
      [6, 70, 70],
    ].map((ofStop) => new Map(ofStop.entries()));
    let reads = 0;
    const keys = new Proxy(fastest.keys, {
      get(all, at) {
        reads++;
        return Reflect.get(all, at);
      },
    });
    const counted: FastestDepartures = Object.create(fastest, { keys: { value: keys } });
    const found = new DoorToDoor(egressOf(walks, 3), counted, counted.wanted, {
      split: 0,
      limits: [100, 100],
    });
    found.run();
    const times = new Int32Array(3).fill(1_000);
    found.lower(lane, times);
    return { times: [...times], reads };
  };
  // The shortest and the wanted time of each stop and lane are read.
  const bounds = 2 * 2 * LANES;
  expect(search(11)).toEqual({ times: [17, 18, 19], reads: bounds });
  const faster = search(10);
  expect(faster.times).toEqual([16, 18, 19]);
  expect(faster.reads).toBeGreaterThan(bounds);
});

test('for a single lane, no more stops, walks and departures are read than its bounds allow', () =>
  forAll(60, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const [stopCount, lane] = [2 + dice.below(9), dice.below(LANES)];
    const targetCount = dice.pick([1, 15, 16, 17, 40, 300]);
    const upTo = {
      split: dice.below(targetCount + 1),
      limits: [10 + dice.below(60), 10 + dice.below(60)],
    } as const;
    const limits = { departures: 8, step: 0, boardSlack: 0, limit: Math.max(...upTo.limits) };
    const wanted = 1 + dice.below(3);
    const fastest = new FastestDepartures(stopCount, limits, wanted);
    fastest.begin(0);
    for (let stop = 0; stop < stopCount; stop++) {
      for (let departure = dice.below(5); departure > 0; departure--) {
        fastest.arrive(stop, lane, dice.below(50), departure, departure);
      }
    }
    const isDense = dice.chance(0.5);
    const table = egressOf(
      isDense ? everyWalk(dice, stopCount, targetCount) : randomWalks(dice, stopCount, targetCount),
      targetCount,
    );
    const [stop, walks] = [withReads(table.stop), withReads(table.walks)];
    const keys = withReads(fastest.keys);
    const egress = { ...table, stop: stop.counted, walks: walks.counted };
    const search = new DoorToDoor(
      egress,
      Object.create(fastest, { keys: { value: keys.counted } }),
      fastest.wanted,
      upTo,
    );
    search.run();
    const allowed = allowedReads(table, fastest, lane, upTo);
    const pairsRead = [...new Set(stop.positions)].sort((a, b) => a - b);
    expect(pairsRead.filter((pair) => !allowed.pairs.has(pair))).toEqual([]);
    const rows = new Map<number, number>();
    for (const at of walks.positions) {
      rows.set(at >> CLUSTER_SHIFT, (rows.get(at >> CLUSTER_SHIFT) ?? 0) + 1);
    }
    for (const [pair, count] of rows) {
      expect([pair, count <= (allowed.walks.get(pair) ?? 0)]).toEqual([pair, true]);
    }
    const bounds = 2 * LANES * fastest.stopCount;
    const after = keys.positions.slice(bounds);
    if (!allowed.isContested) expect(after).toEqual([]);
  }));

/** Walks from every stop to every target, so that one stop alone may lead to all. */
function everyWalk(dice: Dice, stopCount: number, targetCount: number) {
  return Array.from({ length: stopCount }, () => {
    const at = dice.below(40);
    const times = Array.from({ length: targetCount }, () => at + dice.below(8));
    return new Map(times.entries());
  });
}

/**
 * Returns the most that a search for one lane may read. It may read the pairs whose nearest target
 * is within the limit, coming from the fastest stop of the group, unless a nearer pair leads to all
 * targets sooner. It may read the walks of a pair once to find the best stop of each target, once
 * to compare that with the others, and once for each target at which another stop has a faster
 * departure.
 */
function allowedReads(
  { targets, firstPair, stop, nearest, farthest, walks, firstGroup, groups }: EgressTable,
  { keys, wanted, stops, stopCount }: FastestDepartures,
  lane: number,
  { split, limits }: { readonly split: number; readonly limits: readonly [number, number] },
) {
  const reached = [...stops.subarray(0, stopCount)];
  const timeOf = (at: number, nth: number) =>
    reached.includes(at) ? keys[(at * LANES + lane) * wanted + nth] >> DEPARTURE_BITS : NO_TIME;
  const allowed = {
    pairs: new Set<number>(),
    walks: new Map<number, number>(),
    isContested: false,
  };
  for (let cluster = 0; cluster + 1 < firstPair.length; cluster++) {
    const around = reached.filter((at) =>
      groups.subarray(firstGroup[at], firstGroup[at + 1]).includes(cluster >> GROUP_SHIFT),
    );
    const least = Math.min(...around.map((at) => timeOf(at, 0)));
    const own = [...targets.subarray(cluster * CLUSTER_SIZE, (cluster + 1) * CLUSTER_SIZE)];
    const upTo = own.map((target) => limits[target < split ? 0 : 1]);
    const pairs = Array.from({ length: firstPair[cluster + 1] - firstPair[cluster] }, (_, i) => {
      const pair = firstPair[cluster] + i;
      const [first, last] = [timeOf(stop[pair], 0), timeOf(stop[pair], wanted - 1)];
      return {
        pair,
        soonest: first + nearest[pair],
        atBest: least + nearest[pair],
        surely: last + farthest[pair],
        alone: own.map((_, t) => last + walks[pair * CLUSTER_SIZE + t]),
        once: own.map((_, t) => first + walks[pair * CLUSTER_SIZE + t]),
        nearestAlone: last + nearest[pair],
      };
    });
    const limit = Math.max(...upTo);
    const sure = Math.min(...pairs.map(({ surely }) => surely));
    const read = pairs.filter(
      ({ atBest }, i) =>
        atBest <= limit && pairs.slice(0, i).every(({ surely }) => atBest <= surely),
    );
    for (const { pair } of read) allowed.pairs.add(pair);
    const examined = read.filter(({ soonest }) => soonest <= limit && soonest <= sure);
    const times = own.map((_, t) =>
      Math.min(upTo[t] + 1, ...examined.map(({ alone }) => alone[t])),
    );
    const isFaster = own.map((_, t) => {
      const best = examined.find(({ alone }) => alone[t] === times[t] && times[t] <= upTo[t]);
      return examined.some((one) => one !== best && one.once[t] < times[t]);
    });
    const slowest = Math.max(...times);
    for (const { pair, soonest, nearestAlone } of examined) {
      const rows = Number(nearestAlone <= Math.min(limit + 1, sure)) + Number(soonest < slowest);
      allowed.walks.set(pair, rows * own.length + isFaster.filter(Boolean).length);
    }
    if (isFaster.includes(true)) allowed.isContested = true;
  }
  return allowed;
}

/**
 * Pairs that no lane examines, since their shortest time exceeds a limit, or the time in which
 * another stop alone leads to every target of the cluster, either for all lanes at once or for
 * each.
 */
function excluded(
  { targets, firstPair, stop, nearest, farthest }: EgressTable,
  { keys, wanted, stops, stopCount }: FastestDepartures,
  { split, limits }: { readonly split: number; readonly limits: readonly [number, number] },
): number[] {
  const isReached = new Set(stops.subarray(0, stopCount));
  const timeOf = (pair: number, lane: number, nth: number) =>
    keys[(stop[pair] * LANES + lane) * wanted + nth] >> DEPARTURE_BITS;
  const lanes = [...Array(LANES).keys()].filter((lane) =>
    [...isReached].some((at) => keys[(at * LANES + lane) * wanted] >> DEPARTURE_BITS !== NO_TIME),
  );
  const found: number[] = [];
  for (let cluster = 0; cluster + 1 < firstPair.length; cluster++) {
    const pairs = Array.from(
      { length: firstPair[cluster + 1] - firstPair[cluster] },
      (_, i) => firstPair[cluster] + i,
    );
    const own = targets.subarray(cluster * CLUSTER_SIZE, (cluster + 1) * CLUSTER_SIZE);
    const limit = Math.max(...Array.from(own, (target) => limits[target < split ? 0 : 1]));
    const fastestBy = (pair: number, within: readonly number[]) =>
      isReached.has(stop[pair])
        ? Math.min(...within.map((lane) => timeOf(pair, lane, 0) + nearest[pair]))
        : Infinity;
    const aloneBy = (pair: number, within: readonly number[]) =>
      isReached.has(stop[pair])
        ? Math.max(...within.map((lane) => timeOf(pair, lane, wanted - 1) + farthest[pair]))
        : Infinity;
    const best = Math.min(...pairs.map((pair) => aloneBy(pair, lanes)));
    const shared = pairs.filter((pair) => fastestBy(pair, lanes) <= Math.min(limit, best));
    const examined = lanes.flatMap((lane) =>
      shared.filter((pair, i) => {
        const others = shared.slice(0, i).map((one) => aloneBy(one, [lane]));
        const time = fastestBy(pair, [lane]);
        return time <= limit && others.every((other) => time < other);
      }),
    );
    found.push(...pairs.filter((pair) => !examined.includes(pair)));
  }
  return found;
}

/** Walks from each stop to targets. The stops lie along the order of targets, some at one place. */
function randomWalks(dice: Dice, stopCount: number, targetCount: number): Map<number, number>[] {
  return Array.from({ length: stopCount }, () => {
    const at = dice.below(targetCount);
    const radius = dice.pick([3, 20, 60]);
    const walks = new Map<number, number>();
    for (let target = 0; target < targetCount; target++) {
      const walk = Math.abs(target - at) + dice.below(4);
      if (walk <= radius && dice.chance(0.95)) walks.set(target, walk);
    }
    return walks;
  });
}

function egressOf(walks: readonly Map<number, number>[], targetCount: number) {
  const builder = new EgressBuilder(
    Int32Array.from({ length: targetCount }, (_, i) => i).reverse(),
  );
  for (const ofStop of walks) {
    for (const [target, time] of ofStop) builder.add(target, time);
    builder.endStop();
  }
  return builder.finish();
}

/** The `wanted`-th shortest time over the departures; Infinity if there are fewer. */
function wantedTime(
  alighted: readonly ReadonlyMap<number, number>[],
  walks: readonly ReadonlyMap<number, number>[],
  target: number,
  wanted: number,
): number {
  const best = new Map<number, number>();
  alighted.forEach((times, stop) => {
    const walk = walks[stop].get(target);
    if (walk === undefined) return;
    for (const [departure, time] of times) {
      best.set(departure, Math.min(best.get(departure) ?? Infinity, time + walk));
    }
  });
  return [...best.values()].sort((a, b) => a - b)[wanted - 1] ?? Infinity;
}
