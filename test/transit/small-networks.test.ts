import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildCallOrder } from '../../builder/transit/call-order.ts';
import { LANES, LaneSearch, type RangeLimits } from '../../builder/transit/lane-search.ts';
import { buildTripTransfers } from '../../builder/transit/trip-transfers.ts';
import { Raptor } from '../../shards/transit/raptor.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import {
  type Access,
  earliest,
  footpathsOf,
  type Network,
  randomAccess,
  randomNetwork,
  timetableOf,
} from './random-network.ts';

test('each departure from each origin arrives at each stop when a brute-force search of it alone does', () =>
  forAll(150, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const network = randomNetwork(dice);
    const limits: RangeLimits = {
      departures: dice.pick([1, 3, 8, 8, 126]),
      step: 1 + dice.below(3),
      boardSlack: dice.below(3),
      limit: 5 + dice.below(40),
    };
    const search = laneSearch(network, limits);
    // One search serves window after window.
    for (let windows = 0; windows < 2; windows++) {
      const opens = 80 + dice.below(60);
      const origins = new Map(
        Array.from({ length: 1 + dice.below(3) }, () => [
          dice.below(LANES),
          randomAccess(dice, network),
        ]),
      );
      expect(arrivalsByLane(search, network, limits, opens, origins)).toEqual(
        [...origins].map(([, from]) =>
          Array.from({ length: limits.departures }, (_, departure) => {
            const leaves = opens + departure * limits.step;
            return earliest(network, from, leaves + limits.boardSlack)
              .map((time) => (time <= leaves + limits.limit ? time : '-'))
              .join(' ');
          }),
        ),
      );
    }
  }));

test('a departure from a single origin arrives at each stop when a brute-force search does', () =>
  forAll(150, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const network = randomNetwork(dice);
    const raptor = new Raptor(timetableOf(network), footpathsOf(network));
    // One search serves origin after origin.
    for (let origins = 0; origins < 4; origins++) {
      const from = randomAccess(dice, network);
      const opens = 80 + dice.below(60);
      const latest = opens + dice.below(60);
      const stops = Int32Array.from(from, ({ stop }) => stop);
      const readyAt = Int32Array.from(from, ({ time }) => opens + time);
      const count = raptor.run(stops, readyAt, latest);
      const found = Array.from({ length: network.stopCount }, () => Infinity);
      for (const stop of raptor.reached.subarray(0, count)) {
        expect(found[stop]).toBe(Infinity);
        found[stop] = raptor.arrivals[stop];
      }
      expect(found).toEqual(
        earliest(network, from, opens).map((time) => (time <= latest ? time : Infinity)),
      );
    }
  }));

test('the calls that are searched again are those that later calls lead back to, and all between', () =>
  forAll(200, fc.nat(), (seed) => {
    const { firstSource, sources, repeated } = callOrder(randomNetwork(new Dice(seed)), 100);
    // Each way back joins the calls that it spans; a call that is joined to none is searched once.
    const joined = Array.from({ length: firstSource.length - 1 }, (_, rank) => rank);
    joined.forEach((_, rank) => {
      for (const source of sources.subarray(firstSource[rank], firstSource[rank + 1])) {
        for (let between = rank; between <= source; between++) {
          const [one, other] = [joined[rank], joined[between]];
          joined.forEach((group, i) => {
            if (group === one) joined[i] = other;
          });
        }
      }
    });
    const ranges = [...new Set(joined)]
      .map((group) => [joined.indexOf(group), joined.lastIndexOf(group) + 1])
      .filter(([from, to]) => to - from > 1)
      .sort(([a], [b]) => a - b);
    expect([...repeated]).toEqual(ranges.flat());
  }));

test('more departures than a byte of a label can count are refused', () => {
  const network = randomNetwork(new Dice(1));
  const limits = { departures: 126, step: 1, boardSlack: 0, limit: 10 };
  expect(() => laneSearch(network, limits)).not.toThrow();
  expect(() => laneSearch(network, { ...limits, departures: 127 })).toThrow('too many departures');
});

function laneSearch(network: Network, limits: RangeLimits) {
  return new LaneSearch(timetableOf(network), callOrder(network, limits.limit), limits);
}

function callOrder(network: Network, limit: number) {
  const timetable = timetableOf(network);
  const footpaths = footpathsOf(network);
  return buildCallOrder(timetable, buildTripTransfers(timetable, footpaths, limit));
}

/**
 * Searches, and returns the arrivals at all stops by origin and departure; `-` where none is within
 * the limit. Expects the search to report them in order, each departure once, and none after the
 * last limit.
 */
function arrivalsByLane(
  search: LaneSearch,
  { stopCount }: Network,
  { departures, step, limit }: RangeLimits,
  opens: number,
  origins: ReadonlyMap<number, readonly Access[]>,
): string[][] {
  const found = new Map(
    [...origins.keys()].map((lane) => [
      lane,
      Array.from({ length: departures }, () => new Array<number | '-'>(stopCount).fill('-')),
    ]),
  );
  const before = new Map<string, { arrival: number; last: number }>();
  const misplaced: unknown[] = [];
  search.begin(opens);
  for (const [lane, from] of origins) {
    const stops = Int32Array.from(from, ({ stop }) => stop);
    const times = Int32Array.from(from, ({ time }) => time);
    search.board(lane, stops, times);
  }
  search.run({
    arrive(stop, lane, arrival, first, last) {
      const previous = before.get(`${stop} ${lane}`) ?? { arrival: opens, last: -1 };
      const isInOrder = arrival >= previous.arrival && first === previous.last + 1 && first <= last;
      if (!isInOrder || !found.has(lane) || arrival > opens + (departures - 1) * step + limit) {
        misplaced.push({ stop, lane, arrival, first, last });
      }
      before.set(`${stop} ${lane}`, { arrival, last });
      for (let departure = first; departure <= last; departure++) {
        if (arrival > opens + departure * step + limit) continue;
        found.get(lane)![departure][stop] = arrival;
      }
    },
  });
  expect(misplaced).toEqual([]);
  return [...found.values()].map((times) => times.map((byStop) => byStop.join(' ')));
}
