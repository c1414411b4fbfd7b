import { expect, test } from 'vitest';
import { type AvenueTrip, avenueFeed } from './avenue.ts';
import { BusTown, busFeed, busLine, RIDE, STOPS, TIME } from './bus-town.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';
import { pointAt } from './small-city.ts';

const town = new BusTown();

test('a rule for changing at a station holds at all its stops', async () => {
  const stops = { A: STOPS.A, M1: 5_000, M2: 5_080, B: STOPS.B };
  const trips = busLine().flatMap(({ calls: [[, leaves]] }): AvenueTrip[] => [
    {
      calls: [
        ['A', leaves],
        ['M1', leaves + 4],
      ],
    },
    {
      calls: [
        ['M2', leaves + 6.5],
        ['B', leaves + RIDE],
      ],
    },
  ]);
  const tables = avenueFeed(stops, trips);
  const [station] = tables['stops.txt'].filter(({ stop_id }) => stop_id === 'M1');
  const withStation: FeedTables = {
    ...tables,
    'stops.txt': [
      { ...station, stop_id: 'M', location_type: 1 },
      ...tables['stops.txt'].map((stop) =>
        String(stop.stop_id).startsWith('M') ? { ...stop, parent_station: 'M' } : stop,
      ),
    ],
  };
  const rule = (more: Record<string, number>) => [{ from_stop_id: 'M', to_stop_id: 'M', ...more }];
  const timeWith = (name: string, rules: FeedTables) =>
    town.minutes(name, { ...withStation, ...rules });
  expect(await timeWith('free.zip', {})).toBe(TIME);
  const slow = rule({ transfer_type: 2, min_transfer_time: 120 });
  expect(await timeWith('slow.zip', { 'transfers.txt': slow })).toBe(TIME + 10);
  const never = rule({ transfer_type: 3 });
  expect(await timeWith('never.zip', { 'transfers.txt': never })).toBe(undefined);
});

test('a station with pathways is entered and left by its doors', async () => {
  // The platform lies 400 m beyond the door that leads to it, a minute's stairs away.
  const feed = busFeed();
  const { lon, lat } = pointAt(STOPS.A + 400, 0);
  const door = { stop_lon: pointAt(STOPS.A, 0).lon, stop_lat: pointAt(STOPS.A, 0).lat };
  const station: readonly FeedRecord[] = [
    { stop_id: 'S', location_type: 1, stop_lon: lon, stop_lat: lat },
    { stop_id: 'door', location_type: 2, parent_station: 'S', ...door },
    { stop_id: 'A', location_type: 0, parent_station: 'S', stop_lon: lon, stop_lat: lat },
    ...feed['stops.txt'].filter(({ stop_id }) => stop_id !== 'A'),
  ];
  const withWays = (...ways: FeedRecord[]): FeedTables => ({
    ...feed,
    'stops.txt': station,
    ...(ways.length > 0 ? { 'pathways.txt': ways } : {}),
  });
  const stairs = {
    pathway_id: 'stairs',
    from_stop_id: 'door',
    to_stop_id: 'A',
    pathway_mode: 2,
    traversal_time: 60,
  };
  expect(await town.minutes('street.zip', withWays())).toBe(TIME + 5);
  const bothWays = { ...stairs, is_bidirectional: 1 };
  expect(await town.minutes('stairs.zip', withWays(bothWays))).toBe(TIME + 1);
  const inOnly = { ...stairs, is_bidirectional: 0 };
  expect(await town.minutes('in.zip', withWays(inOnly))).toBe(TIME + 1);
  const outOnly = { ...inOnly, from_stop_id: 'A', to_stop_id: 'door' };
  expect(await town.minutes('out.zip', withWays(outOnly))).toBe(undefined);
});

test('a stop with four departures in the hour is a place to go, and so is a station', async () => {
  const { frequent } = await town.build([await town.write('busy.zip', busFeed())]);
  // Nobody departs from B.
  expect(frequent).toEqual(['A']);

  // Three departures from each of two platforms, and from a stop of its own.
  const stops = { P1: STOPS.A, P2: STOPS.A + 50, alone: STOPS.A + 100, B: STOPS.B };
  const trips = ['P1', 'P2', 'alone'].flatMap((stop) =>
    busLine()
      .filter((_, n) => n % 2 === 0)
      .map(({ calls: [, last] }): AvenueTrip => ({ calls: [[stop, last[1] - RIDE], last] })),
  );
  const feed = avenueFeed(stops, trips);
  const [platform] = feed['stops.txt'];
  const withStation: FeedTables = {
    ...feed,
    'stops.txt': [
      { ...platform, stop_id: 'S', stop_name: 'Both Platforms', location_type: 1 },
      ...feed['stops.txt'].map((stop) =>
        String(stop.stop_id).startsWith('P') ? { ...stop, parent_station: 'S' } : stop,
      ),
    ],
  };
  const built = await town.build([await town.write('station.zip', withStation)]);
  expect(built.frequent).toEqual(['Both Platforms']);
});
