import { expect, test } from 'vitest';
import { avenueFeed } from './avenue.ts';
import { BusTown, busFeed, busLine, EIGHT, RIDE, STOPS, TIME } from './bus-town.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';
import { pointAt } from './small-city.ts';

const town = new BusTown();

test('a station with pathways is entered and left by its entrances', async () => {
  // The platform lies 400 m beyond the entrance that leads to it, a minute's stairs away.
  const feed = busFeed();
  const { lon, lat } = pointAt(STOPS.A + 400, 0);
  const entrance = { stop_lon: pointAt(STOPS.A, 0).lon, stop_lat: pointAt(STOPS.A, 0).lat };
  const station: readonly FeedRecord[] = [
    { stop_id: 'S', location_type: 1, stop_lon: lon, stop_lat: lat },
    { stop_id: 'door', location_type: 2, parent_station: 'S', ...entrance },
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

/** Minutes between the street and the platform of a subway without details. */
const DOWN = 1;

test('a subway ride takes a minute down and as long up, other rides none', async () => {
  const feed = busFeed();
  const asType = (type: number) => ({
    ...feed,
    'routes.txt': feed['routes.txt'].map((route) => ({ ...route, route_type: type })),
  });
  for (const type of [0, 2, 3, 5, 7, 101, 700, 900]) {
    expect(await town.minutes('street.zip', asType(type)), `${type}`).toBe(TIME);
  }
  // Every train leaves on a whole minute, half a minute after a rider is ready for it.
  const below = Math.ceil(3.5 + DOWN + 1.5 + RIDE + DOWN + 2.5);
  for (const type of [1, 401, 500, 602]) {
    expect(await town.minutes('metro.zip', asType(type)), `${type}`).toBe(below);
  }
  const pathways = [
    { pathway_id: 'p', from_stop_id: 'A', to_stop_id: 'B', pathway_mode: 1, traversal_time: 9_000 },
  ];
  // Pathways that lead to no entrance say nothing about the way to the street.
  const between = { ...asType(1), 'pathways.txt': pathways };
  expect(await town.minutes('between.zip', between)).toBe(below);
});

test('levels take time between two rides too, but do not count towards the walking distance', async () => {
  // A line leads from A to P. Another one leads from Q, `apart` metres further on, to B; it leaves
  // `wait` minutes after the first arrives.
  const timeWith = async (apart: number, wait: number, types: readonly number[]) => {
    const lines: { stops: Record<string, number>; after: number; ride: number }[] = [
      { stops: { A: STOPS.A, P: 5_000 }, after: 0, ride: 4 },
      { stops: { Q: 5_000 + apart, B: STOPS.B }, after: 4 + wait, ride: 3 },
    ];
    const feeds = lines.map(({ stops, after, ride }, line) => {
      const [from, to] = Object.keys(stops);
      const trips = busLine('daily', EIGHT - 60 + after, { [from]: 0, [to]: ride });
      const feed = avenueFeed(stops, trips);
      const routes = feed['routes.txt'].map((route) => ({ ...route, route_type: types[line] }));
      return town.write(`${apart}-${wait}-${types}-${line}.zip`, { ...feed, 'routes.txt': routes });
    });
    return (await town.build(await Promise.all(feeds))).minutes;
  };
  const [subway, bus] = [1, 3];
  // The way to A, a minute to board, the ride, the transfer, the ride, and the way from B. The
  // vehicle comes half a minute after that minute.
  const time = (first: number, wait: number) => {
    const toA = 3.5 + (first === subway ? DOWN : 0) + 1.5;
    return Math.ceil(toA + 4 + wait + 3 + DOWN + 2.5);
  };
  // 976 m take 12.2 minutes; add those down, those up if both lines are below, and one to board.
  expect(await timeWith(976, 14.3, [bus, subway])).toBe(time(bus, 14.3));
  expect(await timeWith(976, 14.1, [bus, subway])).toBe(time(bus, 24.1));
  expect(await timeWith(976, 15.3, [subway, subway])).toBe(time(subway, 15.3));
  expect(await timeWith(976, 15.1, [subway, subway])).toBe(time(subway, 25.1));
  expect(await timeWith(1_010, 20, [subway, subway])).toBe(undefined);
});
