import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsefulWalks } from '../../builder/transit/useful-walks.ts';
import { Raptor, type Ride } from '../../shards/transit/raptor.ts';
import { ALIGHT, BOARD } from '../../shards/transit/timetable.ts';
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

test('the rides to a stop follow each other as trips, changes and rules allow, and arrive as the search found', () =>
  forAll(200, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const network = randomNetwork(dice);
    const raptor = new Raptor(timetableOf(network), footpathsOf(network));
    // One search serves origin after origin.
    for (let origins = 0; origins < 3; origins++) {
      const from = randomAccess(dice, network);
      const opens = 80 + dice.below(60);
      const stops = Int32Array.from(from, ({ stop }) => stop);
      const readyAt = Int32Array.from(from, ({ time }) => opens + time);
      const count = raptor.run(stops, readyAt, opens + dice.below(60));
      for (const stop of raptor.reached.subarray(0, count)) {
        const rides = raptor.ridesTo(stop);
        expect(rides.at(-1)).toMatchObject({ to: stop, arrives: raptor.arrivals[stop] });
        expect(canBeRidden(network, from, opens, rides)).toBe(true);
      }
    }
  }));

test('the walks that are kept lead from door to door as early as all walks, by each timetable', () =>
  forAll(300, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const networks = Array.from({ length: 1 + dice.below(3) }, () => randomNetwork(dice));
    const stopCount = Math.min(...networks.map((network) => network.stopCount));
    // Walks are to stops that all networks have.
    const anywhere = { ...networks[0], stopCount };
    const useful = new UsefulWalks(networks.map(timetableOf));
    for (let pairs = 0; pairs < 4; pairs++) {
      const [access, egress] = [randomAccess(dice, anywhere), randomAccess(dice, anywhere)];
      const kept = { access: picked(access, 'toStops'), egress: picked(egress, 'fromStops') };
      for (let leaves = 80; leaves < 150; leaves += 1 + dice.below(20)) {
        for (const network of networks) {
          expect(doorToDoor(network, kept.access, leaves, kept.egress)).toBe(
            doorToDoor(network, access, leaves, egress),
          );
        }
      }
    }

    function picked(walks: readonly Access[], by: 'toStops' | 'fromStops'): Access[] {
      const { stops, times } = useful[by]({
        stops: walks.map(({ stop }) => stop),
        times: walks.map(({ time }) => time),
      });
      const list = Array.from(stops, (stop, i) => ({ stop, time: times[i] }));
      for (const walk of list) expect(walks).toContainEqual(walk);
      expect(list.map(({ stop }) => stop)).toEqual(Array.from(stops).sort((a, b) => a - b));
      return list;
    }
  }));

test('of stops along one line, a walk is dropped where a shorter one to another stop does as well', () => {
  const minutes = [0, 2, 4, 6, 8];
  const line = {
    stops: [0, 1, 2, 3, 4],
    rules: minutes.map(() => BOARD | ALIGHT),
    arrivals: minutes,
    departures: minutes,
    route: 0,
  };
  const useful = new UsefulWalks([
    timetableOf({ stopCount: 5, trips: [line], next: [[]], changes: [] }),
  ]);
  // Boarding at stop 1 after 3 minutes catches all that boarding at stop 2 after 5 does.
  const access = useful.toStops({ stops: [0, 1, 2, 3], times: [9, 3, 5, 8] });
  expect(access).toEqual({ stops: [0, 1], times: [9, 3] });
  // Staying on board at stop 2 costs 2 minutes, and saves 2 of walking.
  const egress = useful.fromStops({ stops: [1, 2, 3, 4], times: [8, 5, 3, 9] });
  expect(egress).toEqual({ stops: [3, 4], times: [3, 9] });
});

/** The earliest time at the destination. */
function doorToDoor(
  network: Network,
  access: readonly Access[],
  leaves: number,
  egress: readonly Access[],
): number {
  const arrivals = earliest(network, access, leaves);
  return Math.min(...egress.map(({ stop, time }) => arrivals[stop] + time));
}

/** Whether some trips of the network make up the rides, one after the other. */
function canBeRidden(
  { trips, next, changes }: Network,
  access: readonly Access[],
  opens: number,
  rides: readonly Ride[],
): boolean {
  let seats: number[] = [];
  return rides.every((ride, i) => {
    const before = rides[i - 1];
    if (ride.ready !== null) {
      const isReady = before
        ? changes.some(
            ({ from, to, time }) =>
              from === before.to && to === ride.from && before.arrives + time === ride.ready,
          )
        : access.some(({ stop, time }) => stop === ride.from && opens + time === ride.ready);
      if (!isReady || ride.departs < ride.ready) return false;
    }
    const isSeated = ride.ready === null;
    // Without a change, a ride begins where and when the ride before ended.
    if (isSeated && (ride.from !== before.to || ride.departs !== before.arrives)) return false;
    if (ride.arrives < ride.departs) return false;
    const allowed = isSeated ? seats.flatMap((trip) => next[trip]) : [...trips.keys()];
    const staysSeated = rides[i + 1]?.ready === null;
    seats = allowed.filter((trip) => {
      const { stops, rules, arrivals, departures, route } = trips[trip];
      const boards = (call: number) =>
        isSeated
          ? call === 0
          : stops[call] === ride.from &&
            departures[call] === ride.departs &&
            (rules[call] & BOARD) !== 0;
      const alights = (call: number) =>
        stops[call] === ride.to &&
        arrivals[call] === ride.arrives &&
        (staysSeated ? call === stops.length - 1 : (rules[call] & ALIGHT) !== 0);
      const calls = [...stops.keys()];
      return (
        route === ride.route &&
        calls.some(
          (call) =>
            boards(call) && calls.some((later) => alights(later) && (isSeated || later > call)),
        )
      );
    });
    return seats.length > 0;
  });
}
