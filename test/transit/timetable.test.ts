import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FeedDay, StopOfFeed } from '../../builder/transit/feed-day.ts';
import {
  buildTimetable,
  firstNotBefore,
  type ScheduledTrip,
  type Timetable,
} from '../../shards/transit/timetable.ts';
import { forAll } from '../support/for-all.ts';
import { joinedFeeds } from '../support/joined-feeds.ts';
import { Dice } from './dice.ts';
import { randomNetwork, timetableOf } from './random-network.ts';

/** A trip as text, with its stops and its route by name. */
function textOf(
  { stops, rules, arrivals, departures, route }: ScheduledTrip,
  nameOf: (stop: number) => string = String,
  routeOf: (route: number) => string = String,
): string {
  return stops
    .map((stop, i) => `${nameOf(stop)} ${rules[i]} ${arrivals[i]}-${departures[i]}`)
    .concat(`route ${routeOf(route)}`)
    .join(', ');
}

/** The trips of each pattern, as they are stored. */
function patternsOf(timetable: Timetable): ScheduledTrip[][] {
  const { firstCall, callStop, callRules, tripCount, firstTime } = timetable;
  return Array.from(tripCount, (count, pattern) =>
    Array.from({ length: count }, (_, trip) => {
      const calls = [...Array(firstCall[pattern + 1] - firstCall[pattern]).keys()];
      const at = (call: number) => firstTime[pattern] + call * count + trip;
      return {
        stops: calls.map((call) => callStop[firstCall[pattern] + call]),
        rules: calls.map((call) => callRules[firstCall[pattern] + call]),
        arrivals: calls.map((call) => timetable.arrivals[at(call)]),
        departures: calls.map((call) => timetable.departures[at(call)]),
        route: timetable.tripRoute[timetable.firstTrip[pattern] + trip],
      };
    }),
  );
}

/** Pairs of trips between which riders stay seated. */
function continuationsOf(
  timetable: Timetable,
  nameOf?: (stop: number) => string,
  routeOf?: (route: number) => string,
): string[] {
  const patterns = patternsOf(timetable);
  const trips = patterns.flat();
  return trips.flatMap((from, trip) => {
    const links: string[] = [];
    for (
      let link = timetable.firstContinuation[trip];
      link < timetable.firstContinuation[trip + 1];
      link++
    ) {
      const [pattern, to] = timetable.continuations.subarray(2 * link, 2 * link + 2);
      const pair = [from, patterns[pattern][to]];
      links.push(pair.map((one) => textOf(one, nameOf, routeOf)).join(' → '));
    }
    return links;
  });
}

const isSorted = (times: readonly number[]) =>
  times.every((time, i) => i === 0 || time >= times[i - 1]);

test('a timetable has the trips it is made of, in patterns whose trips never overtake', () =>
  forAll(60, fc.nat(), (seed) => {
    const network = randomNetwork(new Dice(seed));
    const timetable = timetableOf(network);
    const patterns = patternsOf(timetable);
    expect(timetable.patternCount).toBe(patterns.length);
    expect(timetable.stopCount).toBe(network.stopCount);
    expect(
      patterns
        .flat()
        .map((trip) => textOf(trip))
        .sort(),
    ).toEqual(network.trips.map((trip) => textOf(trip)).sort());
    expect(timetable.firstTrip).toEqual(
      Int32Array.from([0, ...patterns].map((_, i) => patterns.slice(0, i).flat().length)),
    );
    for (const trips of patterns) {
      const [first] = trips;
      for (const { stops, rules } of trips) {
        expect([stops, rules]).toEqual([first.stops, first.rules]);
      }
      first.stops.forEach((_, call) => {
        expect(isSorted(trips.map(({ arrivals }) => arrivals[call]))).toBe(true);
        expect(isSorted(trips.map(({ departures }) => departures[call]))).toBe(true);
      });
    }
    // Visits are the calls at each stop, in the order of patterns.
    for (let stop = 0; stop < network.stopCount; stop++) {
      const calls = patterns.flatMap(([trip], pattern) =>
        trip.stops.flatMap((at, position) => (at === stop ? [[pattern, position]] : [])),
      );
      const { firstVisit, visits } = timetable;
      expect([...visits.subarray(2 * firstVisit[stop], 2 * firstVisit[stop + 1])]).toEqual(
        calls.flat(),
      );
    }
    const pairs = network.next.flatMap((to, from) =>
      to.map((next) => `${textOf(network.trips[from])} → ${textOf(network.trips[next])}`),
    );
    expect(continuationsOf(timetable).sort()).toEqual(pairs.sort());
    expect([...timetable.hasContinuations].map(Boolean)).toEqual(
      patterns.map((trips) =>
        trips.some((trip) => pairs.some((pair) => pair.startsWith(`${textOf(trip)} →`))),
      ),
    );
  }));

test('the order of the trips does not matter, and trips that do not overtake are one pattern', () =>
  forAll(50, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const { stopCount, trips } = randomNetwork(dice);
    const order = trips.map((trip) => ({ trip, at: dice.next() })).sort((a, b) => a.at - b.at);
    const shuffled = buildTimetable(
      stopCount,
      order.map(({ trip }) => trip),
    );
    expect(shuffled).toEqual(buildTimetable(stopCount, trips));
    const calls = ({ stops, rules }: ScheduledTrip) => `${stops} ${rules}`;
    const patterns = patternsOf(shuffled);
    for (const [trip] of patterns) {
      const alike = trips.filter((other) => calls(other) === calls(trip));
      const overtakes = alike.some((a) =>
        alike.some((b) => {
          const times = (of: ScheduledTrip) => [...of.arrivals, ...of.departures];
          const later = times(a).map((time, i) => Math.sign(time - times(b)[i]));
          return later.includes(1) && later.includes(-1);
        }),
      );
      const parts = patterns.filter(([first]) => calls(first) === calls(trip)).length;
      if (overtakes) expect(parts).toBeGreaterThan(1);
      else expect(parts).toBe(1);
    }
  }));

test('the first time that is not too early is found, wherever the times begin', () =>
  forAll(
    300,
    fc.array(fc.nat(9), { maxLength: 9 }),
    fc.nat(3),
    fc.nat(10),
    (list, start, earliest) => {
      const times = list.sort((a, b) => a - b);
      const found = firstNotBefore(
        Int32Array.from([...Array(start).fill(0), ...times, 99]),
        start,
        times.length,
        earliest,
      );
      expect(found).toBe(times.filter((time) => time < earliest).length);
    },
  ));

test('joined feeds keep their trips, walks and rules at their own stops', () =>
  forAll(40, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const networks = Array.from({ length: dice.below(4) }, () => randomNetwork(dice));
    const feeds = networks.map(({ stopCount, trips, next, changes }, feed): FeedDay => {
      return {
        stops: Array.from({ length: stopCount }, (_, i) => ({ id: `${feed}:${i}` }) as StopOfFeed),
        departures: Array.from({ length: stopCount }, (_, i) => new Map([[`${feed}:${i}`, 1]])),
        trips,
        routes: Array.from({ length: 6 }, (_, i) => `${feed}:${i}`),
        continuations: next.flatMap((to, from) => to.map((one) => [from, one] as const)),
        rules: changes.map(({ from, to }) => ({ from, to, kind: 'timed', minimum: 0 })),
        insideWalks: changes.map((change) => ({ ...change, lies: 'indoors' })),
      };
    });
    const joined = joinedFeeds(feeds);
    const { timetable } = joined;
    const nameOf = (stop: number) => joined.stops[stop].id;
    const ownNames = (feed: number) => (stop: number) => `${feed}:${stop}`;
    expect(joined.departures.map((lines) => [...lines!.keys()])).toEqual(
      joined.stops.map(({ id }) => [`${id.split(':')[0]}\0${id}`]),
    );
    expect(joined.stops.map(({ id }) => id)).toEqual(
      networks.flatMap(({ stopCount }, feed) =>
        Array.from({ length: stopCount }, (_, i) => `${feed}:${i}`),
      ),
    );
    expect(
      patternsOf(timetable)
        .flat()
        .map((trip) => textOf(trip, nameOf, (route) => joined.routes[route]))
        .sort(),
    ).toEqual(
      networks
        .flatMap(({ trips }, i) => trips.map((trip) => textOf(trip, ownNames(i), ownNames(i))))
        .sort(),
    );
    expect(continuationsOf(timetable, nameOf, (route) => joined.routes[route]).sort()).toEqual(
      networks
        .flatMap(({ trips, next }, i) =>
          next.flatMap((to, from) =>
            to.map((one) =>
              [trips[from], trips[one]]
                .map((trip) => textOf(trip, ownNames(i), ownNames(i)))
                .join(' → '),
            ),
          ),
        )
        .sort(),
    );
    const ways = networks.flatMap(({ changes }, feed) =>
      changes.map(({ from, to, time }) => [`${feed}:${from}`, `${feed}:${to}`, time]),
    );
    expect(
      joined.insideWalks.map(({ from, to, time }) => [nameOf(from), nameOf(to), time]),
    ).toEqual(ways);
    expect(joined.rules.map(({ from, to }) => [nameOf(from), nameOf(to)])).toEqual(
      ways.map(([from, to]) => [from, to]),
    );
  }));
