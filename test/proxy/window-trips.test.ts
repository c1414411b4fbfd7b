import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fastestTrips } from '../../proxy/queries/journeys/journey.ts';
import {
  type ExplainedTrip,
  type Trip,
  type TripOptions,
  WindowTrip,
} from '../../proxy/queries/journeys/window-trips.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { clockTime } from '../../shards/services.ts';
import type { CountyTransit } from '../../shards/transit/transit-table.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from '../transit/dice.ts';
import {
  type Access,
  earliest,
  footpathsOf,
  randomAccess,
  randomNetwork,
  timetableOf,
} from '../transit/random-network.ts';

const DEPARTURES = 60;
const MOST = 50;
/** Times of the random networks are whole, and taken as they are. */
const UNROUNDED = {
  minutesOf: (time: number) => time,
  longest: (minutes: number) => minutes,
  most: MOST,
};

interface Case {
  readonly network: ReturnType<typeof randomNetwork>;
  readonly opens: number;
  readonly access: readonly Access[];
  readonly egress: readonly Access[];
  readonly onFoot: number | undefined;
}

function randomCase(seed: number): Case {
  const dice = new Dice(seed);
  const network = randomNetwork(dice);
  const [access, egress] = [randomAccess(dice, network), randomAccess(dice, network)];
  const onFoot = dice.chance(0.5) ? 1 + dice.below(MOST) : undefined;
  return { network, opens: 70 + dice.below(40), access, egress, onFoot };
}

/** Minutes of the day at which the window opens. */
const OPENS = 12 * 60;

function transitOf({ network, opens }: Case): CountyTransit {
  return {
    windowStart: opens,
    departures: DEPARTURES,
    step: 1,
    boardSlack: 0,
    stops: Array.from({ length: network.stopCount }, (_, stop) => `stop ${stop}`),
    routes: Array.from({ length: 9 }, (_, route) => `line ${route}`),
    timetable: timetableOf(network),
    footpaths: footpathsOf(network),
  };
}

interface Asked extends Partial<TripOptions> {
  /** Where the trip ends, if not where that of the case does. */
  readonly egress?: readonly Access[];
  readonly stored?: number | undefined;
}

/** The trips from the origin of a case, all of which one search finds. */
async function found(given: Case, asked: readonly Asked[]) {
  const transit = transitOf(given);
  const trips = asked.map(
    ({ egress = given.egress, stored, departure, spread = false }) =>
      new WindowTrip(
        transit,
        OPENS,
        walksOf(egress),
        UNROUNDED,
        { time: stored, onFoot: given.onFoot },
        { departure, spread },
      ),
  );
  await Turns.SHARED.run(fastestTrips(transit, walksOf(given.access), trips));
  return trips.map((trip) => trip.found);
}

function walksOf(list: readonly Access[]) {
  return { stops: list.map(({ stop }) => stop), times: list.map(({ time }) => time) };
}

/** Times of all departures, by riding all trips until nothing changes; Infinity if none leads. */
function timesOf({ network, opens, access, egress, onFoot = Infinity }: Case): number[] {
  return Array.from({ length: DEPARTURES }, (_, departure) => {
    const arrivals = earliest(network, access, opens + departure);
    const rides = egress.map(({ stop, time }) => arrivals[stop] + time - opens - departure);
    const time = Math.min(onFoot, ...rides);
    return time <= MOST ? time : Infinity;
  });
}

const lengthOf = ({ legs }: Trip) => legs.reduce((sum, { minutes }) => sum + minutes, 0);

test('a spread has the percentiles of all departures, and counts those as fast as the stored time', () =>
  forAll(300, fc.nat(), async (seed) => {
    const given = randomCase(seed);
    const times = timesOf(given).sort((a, b) => a - b);
    const stored = times[5] === Infinity ? undefined : times[5];
    const [trip] = await found(given, [{ stored, spread: true }]);
    const spread = trip!.spread!;
    const ranked = (rank: number) => (times[rank - 1] === Infinity ? null : times[rank - 1]);
    expect(spread.minutes).toEqual({ '10': ranked(6), '50': ranked(30), '90': ranked(54) });
    expect(spread.as_fast).toBe(stored === undefined ? 0 : times.filter((t) => t <= stored).length);
    const reached = times.filter((time) => time < Infinity).length;
    expect(spread.routes.reduce((sum, { departures }) => sum + departures, 0)).toBe(reached);
  }));

test('a departure has the fastest trip that leaves then, with legs that add up to it', () =>
  forAll(150, fc.nat(), async (seed) => {
    const given = randomCase(seed);
    const times = timesOf(given);
    const lines = new Map<string, number>();
    const trips = await found(
      given,
      times.map((_, departure) => ({ departure })),
    );
    for (const [departure, time] of times.entries()) {
      const trip = trips[departure]!;
      expect([departure, trip.travel_time]).toEqual([departure, time === Infinity ? null : time]);
      const rides = trip.legs.filter(({ kind }) => kind === 'ride');
      expect(trip.departs).toBe(rides.length > 0 ? clockTime(OPENS + departure) : null);
      if (trip.travel_time !== null) expect(lengthOf(trip)).toBe(trip.travel_time);
      if (trip.travel_time === null) continue;
      const key = rides.map(({ route }) => route).join();
      lines.set(key, (lines.get(key) ?? 0) + 1);
    }
    // A rider who stays seated on one line has several rides, but the line is named once.
    if (given.network.next.some((trips) => trips.length > 0)) return;
    const [{ spread }] = (await found(given, [{ departure: 0, spread: true }])) as ExplainedTrip[];
    const counted = spread!.routes.map(({ routes, departures }) => [routes.join(), departures]);
    expect(new Map(counted as [string, number][])).toEqual(lines);
  }));

test('the first departure of a time is explained', () =>
  forAll(150, fc.nat(), async (seed) => {
    const given = { ...randomCase(seed), onFoot: undefined };
    const times = timesOf(given);
    const asked = [...new Set(times.filter((t) => t < Infinity))].flatMap((stored) => [
      { stored, spread: false },
      { stored, spread: true },
    ]);
    for (const [i, trip] of (await found(given, asked)).entries()) {
      const { stored } = asked[i];
      expect([trip?.travel_time, trip?.departs]).toEqual([
        stored,
        clockTime(OPENS + times.indexOf(stored)),
      ]);
    }
    const none = Array.from({ length: MOST }, (_, i) => i + 1).find(
      (time) => !times.includes(time),
    )!;
    expect(await found(given, [{ stored: none }, { stored: none, spread: true }])).toEqual([
      undefined,
      undefined,
    ]);
  }));

test('trips to many places, found by one search, take as long as each alone', () =>
  forAll(100, fc.nat(), async (seed) => {
    const given = randomCase(seed);
    const dice = new Dice(seed + 1);
    const asked = Array.from({ length: 6 }, (): Asked => {
      const egress = randomAccess(dice, given.network);
      const times = timesOf({ ...given, egress }).filter((time) => time < Infinity);
      const stored = times.length > 0 ? dice.pick(times) : undefined;
      const departure = dice.chance(0.3) ? dice.below(DEPARTURES) : undefined;
      return { egress, stored, departure, spread: dice.chance(0.5) };
    });
    const together = await found(given, asked);
    for (const [i, one] of asked.entries()) {
      const [alone] = await found(given, [one]);
      const trip = together[i];
      expect([i, factsOf(trip)]).toEqual([i, factsOf(alone)]);
      if (trip && trip.travel_time !== null) expect(lengthOf(trip)).toBe(trip.travel_time);
    }
  }));

/** The facts of a trip in which equally fast journeys agree. */
function factsOf(trip: Awaited<ReturnType<typeof found>>[number]) {
  const { travel_time, departs, spread } = trip ?? {};
  return { travel_time, departs, minutes: spread?.minutes, as_fast: spread?.as_fast };
}
