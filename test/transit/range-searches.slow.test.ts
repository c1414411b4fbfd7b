import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildFootpaths } from '../../builder/transit/build-footpaths.ts';
import { buildCallOrder } from '../../builder/transit/call-order.ts';
import { DoorToDoor } from '../../builder/transit/door-to-door.ts';
import { EgressBuilder } from '../../builder/transit/egress.ts';
import { FastestDepartures } from '../../builder/transit/fastest-departures.ts';
import { type ArrivalListener, LANES, LaneSearch } from '../../builder/transit/lane-search.ts';
import { buildTripTransfers } from '../../builder/transit/trip-transfers.ts';
import type { Footpaths } from '../../shards/transit/footpaths.ts';
import { Raptor } from '../../shards/transit/raptor.ts';
import { ALIGHT, BOARD, buildTimetable, type Timetable } from '../../shards/transit/timetable.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import { randomTimetable } from './random-timetable.ts';
import { pointAt } from './small-city.ts';
import {
  type InSeat,
  type Run,
  type TransferRule,
  transitTimes,
  type Walks,
  type Window,
} from './time-expanded.ts';

const MINUTE = 60_000;
const LIMIT = 60 * MINUTE;
const WALK_LIMIT = 30 * MINUTE;
const TRANSFER_LIMIT = 12.5 * MINUTE;
const OPENS = 8 * 60 * MINUTE;
const LIMITS = { departures: 60, step: MINUTE, boardSlack: MINUTE, limit: LIMIT };
const AM: Window = { opens: OPENS / MINUTE, departures: LIMITS.departures, rank: 6 };
const KINDS = { 1: 'timed', 2: 'minimum', 3: 'never' } as const;

test('times from range RAPTOR and from all origins at once equal those of the brute-force search, to the millisecond', () =>
  forAll(80, fc.nat(), fc.integer({ min: 4, max: 33 }), (seed, stopCount) => {
    const nowhere = Array.from({ length: stopCount }, () => pointAt(0, 0));
    const { runs, rules, inSeat } = randomTimetable(seed, nowhere);
    const walks = randomWalks(seed, stopCount);
    for (const windows of [[AM], randomWindow(seed)]) {
      const found = builderTimes(runs, rules, walks, inSeat, windows);
      for (const [i, window] of windows.entries()) {
        const meant = transitTimes(runs, rules, walks, inSeat, window).map((times) =>
          times.map((time) => (time <= LIMIT ? time : null)),
        );
        expect(found.raptor[i]).toEqual(meant);
        expect(found.lanes[i]).toEqual(meant);
      }
    }
  }));

/** A window of other departures, and several ranks among them. */
function randomWindow(seed: number): Window[] {
  const dice = new Dice(seed ^ 0x3d);
  const [opens, departures] = [7 * 60 + dice.below(120), 1 + dice.below(60)];
  const ranks = [1 + dice.below(departures), 1 + dice.below(departures), Math.ceil(departures / 2)];
  return ranks.map((rank) => ({ opens, departures, rank }));
}

describe.each(['range RAPTOR', 'lanes'] as const)('%s', (by) => {
  /**
   * Arrivals at the last stop from stop 0, by departure, in minutes. A line is one trip: its stops
   * with minutes after the window opens, in brackets where neither boarding nor alighting is
   * allowed. `becomes` has the index of the trip that a trip continues as.
   */
  function arrivals(lines: readonly string[], becomes: Record<number, number> = {}) {
    const trips = lines.map((line) => {
      const calls = line.split(' ');
      const [stops, minutes] = [0, 1].map((part) =>
        calls.map((call) => Number(call.replace(/[()]/g, '').split('@')[part])),
      );
      const times = minutes.map((minute) => OPENS + minute * MINUTE);
      const rules = calls.map((call) => (call.startsWith('(') ? 0 : BOARD | ALIGHT));
      return { stops, rules, arrivals: times, departures: times, route: 0 };
    });
    const last = Math.max(...trips.flatMap(({ stops }) => stops));
    const continuations = Object.entries(becomes).map(
      ([from, to]) => [trips[Number(from)], trips[to]] as const,
    );
    const timetable = buildTimetable(last + 1, trips, continuations);
    const footpaths = buildFootpaths(last + 1, [], [], MINUTE);
    const search = by === 'range RAPTOR' ? raptor : lanes;
    const access = [{ stops: Int32Array.of(0), times: Int32Array.of(0) }];
    const found: { departure: number; arrival: number }[] = [];
    search(
      timetable,
      footpaths,
      access,
    )({
      arrive: (stop, _, arrival, __, departure) => {
        if (stop === last) found.push({ departure, arrival: (arrival - OPENS) / MINUTE });
      },
    });
    return found;
  }

  test('a rider who is at the stop a minute early, and off the vehicle as the hour ends, arrives in time', () => {
    expect(arrivals(['0@1 1@60'])).toEqual([{ departure: 0, arrival: 60 }]);
  });

  test('a rider can stay seated through two continuations', () => {
    const trips = ['0@10 1@15', '1@15 2@20', '2@20 3@25'];
    expect(arrivals(trips, { 0: 1, 1: 2 })).toEqual([{ departure: 9, arrival: 25 }]);
  });

  test('a rider who lets the first vehicle after the last departure pass, for one that continues as another line, stays seated in it', () => {
    const trips = ['0@60 (1@65)', '0@62 (1@67)', '1@67 2@72'];
    expect(arrivals(trips, { 1: 2 })).toEqual([{ departure: 59, arrival: 72 }]);
  });

  test('a rider seated in a trip may leave it for the next, which continues as another line', () => {
    const trips = ['0@10 (1@15)', '1@15 2@20', '1@18 2@23', '(2@23) 3@30'];
    expect(arrivals(trips, { 0: 1, 2: 3 })).toEqual([{ departure: 9, arrival: 30 }]);
  });
});

/** Random walks without geometry, in whole milliseconds: short ones, long ones, or none. */
function randomWalks(seed: number, stops: number): Walks {
  const dice = new Dice(seed ^ 0x0a1c);
  const [origins, targets] = [1 + dice.below(5), 1 + dice.below(200)];
  const walk = (longest: number, share: number) =>
    dice.chance(share) ? dice.below(longest) : Infinity;
  const matrix = (rows: number, columns: number, longest: number, share: number) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => walk(longest, share)));
  return {
    access: matrix(origins, stops, 1.2 * WALK_LIMIT, 0.2),
    between: matrix(stops, stops, 1.2 * TRANSFER_LIMIT, 0.1),
    egress: matrix(stops, targets, 1.2 * WALK_LIMIT, 0.2),
    direct: matrix(origins, targets, 2 * LIMIT, 0.5),
  };
}

/**
 * Times from each origin to each target by the builder's searches, for several ranks in one window;
 * null beyond the limit.
 */
function builderTimes(
  runs: readonly Run[],
  rules: readonly TransferRule[],
  walks: Walks,
  inSeat: readonly InSeat[],
  windows: readonly Window[],
) {
  const [{ opens, departures }] = windows;
  const window = { opens: opens * MINUTE, limits: { ...LIMITS, departures } };
  const stopCount = walks.between.length;
  const targetCount = walks.direct[0].length;
  const trips = runs.map((calls) => ({
    stops: calls.map(({ stop }) => stop),
    rules: calls.map(
      ({ mayBoard, mayAlight }) => (mayBoard ? BOARD : 0) | (mayAlight ? ALIGHT : 0),
    ),
    arrivals: calls.map(({ arrives }) => arrives),
    departures: calls.map(({ departs }) => departs),
    route: 0,
  }));
  const timetable = buildTimetable(
    stopCount,
    trips,
    inSeat.map(([from, to]) => [trips[from], trips[to]]),
  );
  const footpaths = buildFootpaths(
    stopCount,
    walks.between.flatMap((row, from) =>
      row.flatMap((time, to) =>
        from !== to && time <= TRANSFER_LIMIT ? [{ from, to, time, levels: 0 }] : [],
      ),
    ),
    rules.map(({ from, to, type, least }) => {
      return { from, to, kind: KINDS[type], minimum: least };
    }),
    MINUTE,
  );
  const egress = new EgressBuilder(Int32Array.from(walks.direct[0].keys()).reverse());
  for (const row of walks.egress) {
    row.forEach((time, target) => {
      if (time <= WALK_LIMIT) egress.add(target, time);
    });
    egress.endStop();
  }
  const egressTable = egress.finish();
  const timesBy = (search: Search) => {
    const access = walks.access.map((row) => {
      const near = row.flatMap((time, stop) => (time <= WALK_LIMIT ? [{ stop, time }] : []));
      return {
        stops: Int32Array.from(near, ({ stop }) => stop),
        times: Int32Array.from(near, ({ time }) => time),
      };
    });
    const ranks = windows.map(({ rank }) => rank);
    const fastest = new FastestDepartures(stopCount, window.limits, Math.max(...ranks));
    const upTo = { split: targetCount, limits: [LIMIT, LIMIT] } as const;
    const searches = ranks.map((rank) => new DoorToDoor(egressTable, fastest, rank, upTo));
    const tell = search(timetable, footpaths, access, window);
    // Earlier results, from elsewhere and at another time, are discarded.
    fastest.begin(window.opens - 10 * MINUTE);
    for (let lane = 0; lane < LANES; lane++) {
      fastest.arrive(0, lane, window.opens, 0, departures - 1);
    }
    for (const doorToDoor of searches) doorToDoor.run();
    fastest.begin(window.opens);
    tell(fastest);
    return searches.map((doorToDoor) => {
      doorToDoor.run();
      return access.map((_, origin) => {
        const times = Int32Array.from(walks.direct[origin], (time) => Math.min(time, LIMIT + 1));
        doorToDoor.lower(laneOf(origin), times);
        return Array.from(times, (time) => (time <= LIMIT ? time : null));
      });
    });
  };
  return {
    raptor: timesBy(raptor),
    lanes: timesBy(lanes),
  };
}

type Access = readonly { readonly stops: Int32Array; readonly times: Int32Array }[];
/** Searches from origins, each in its lane, and reports the results. */
type Search = (
  timetable: Timetable,
  footpaths: Footpaths,
  access: Access,
  window?: { readonly opens: number; readonly limits: typeof LIMITS },
) => (found: ArrivalListener) => void;

const USUAL = { opens: OPENS, limits: LIMITS };

/** The lane of an origin: the first origin has the last lane. */
function laneOf(origin: number): number {
  return LANES - 1 - origin;
}

/** One RAPTOR search per departure. */
const raptor: Search =
  (timetable, footpaths, access, window = USUAL) =>
  (found) => {
    const search = new Raptor(timetable, footpaths);
    const { departures, step, boardSlack, limit } = window.limits;
    for (const [origin, { stops, times }] of access.entries()) {
      const arrivals = Array.from({ length: departures }, (_, departure) => {
        const leaves = window.opens + departure * step;
        const readyAt = times.map((time) => leaves + time + boardSlack);
        const reached = search.run(stops, readyAt, leaves + limit);
        return new Map(
          Array.from(search.reached.subarray(0, reached), (stop) => [stop, search.arrivals[stop]]),
        );
      });
      // Departures that arrive together are one event.
      for (let stop = 0; stop < timetable.stopCount; stop++) {
        for (let first = 0, next = 1; first < departures; first = next++) {
          const arrival = arrivals[first].get(stop);
          while (next < departures && arrivals[next].get(stop) === arrival) next++;
          if (arrival === undefined) continue;
          found.arrive(stop, laneOf(origin), arrival, first, next - 1);
        }
      }
    }
  };

/** One search of all lanes together, after a previous one that left all lanes full. */
const lanes: Search =
  (timetable, footpaths, access, window = USUAL) =>
  (found) => {
    const transfers = buildTripTransfers(timetable, footpaths, LIMIT);
    const search = new LaneSearch(timetable, buildCallOrder(timetable, transfers), window.limits);
    search.begin(window.opens - 10 * MINUTE);
    for (let lane = 0; lane < LANES; lane++) {
      const { stops, times } = access[lane % access.length];
      search.board(lane, stops, times);
    }
    search.run({ arrive: () => {} });
    search.begin(window.opens);
    for (const [i, { stops, times }] of access.entries()) search.board(laneOf(i), stops, times);
    search.run(found);
  };
