import { expect, test } from 'vitest';
import { StationDoors } from '../../builder/gtfs/doors.ts';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { type AvenueTrip, avenueFeed, tripFrom } from './avenue.ts';
import { BusTown, busFeed, busLine, EIGHT, RIDE, STOPS, TIME } from './bus-town.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';
import { pointAt } from './small-city.ts';

const town = new BusTown();

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

test('a station whose pathways reach none of its doors is entered by them too, a straight walk away', async () => {
  const feed = busFeed();
  const at = (east: number, north: number) => {
    const { lon, lat } = pointAt(east, north);
    return { stop_lon: lon, stop_lat: lat };
  };
  const here = { parent_station: 'S', ...at(STOPS.A, 400) };
  const file = await town.write('doors.zip', {
    ...feed,
    'stops.txt': [
      { stop_id: 'S', location_type: 1, ...at(STOPS.A, 400) },
      { stop_id: 'west', location_type: 2, parent_station: 'S', ...at(STOPS.A - 300, 0) },
      { stop_id: 'here', location_type: 2, ...here },
      { stop_id: 'A', location_type: 0, ...here },
      { stop_id: 'other', location_type: 0, parent_station: 'S', ...at(STOPS.A + 80, 400) },
      { stop_id: 'across', location_type: 0, ...here },
      ...feed['stops.txt'].filter(({ stop_id }) => stop_id !== 'A'),
    ],
    'pathways.txt': [
      { pathway_id: 'bridge', from_stop_id: 'A', to_stop_id: 'across', traversal_time: 20 },
    ],
  });
  const read = await readFeed(file);
  const doors = new StationDoors(read, new Set());
  const [platform, alone] = ['A', 'B'].map((id) => read.stops.get(id)!);
  // 500 m, at 80 m a minute.
  const seconds = doors
    .of(platform)
    .map((door) => [door.secondsIn, door.secondsOut].map(Math.round));
  expect(seconds).toEqual([
    [375, 375],
    [0, 0],
  ]);
  expect(doors.of(platform)[0].lon).toBe(at(STOPS.A - 300, 0).stop_lon);
  const inside = doors.within(platform);
  const ways = ['other', 'across'].map((id) => inside.get(id)!);
  expect(ways.map(({ seconds }) => Math.round(seconds))).toEqual([60, 20]);
  expect(doors.of(alone)).toEqual([
    { lon: alone.lon, lat: alone.lat, secondsIn: 0, secondsOut: 0, secondsOfLevels: 0 },
  ]);
  expect(doors.within(alone).size).toBe(1);
  read.source.close();
});

test('without pathways a platform is as many levels from the street as are told, a subway’s else two', async () => {
  const at = (east: number, more: FeedRecord = {}): FeedRecord => {
    const { lon, lat } = pointAt(east, 0);
    return { stop_lon: lon, stop_lat: lat, ...more };
  };
  const platform = (id: string, east: number, level_id = '') =>
    at(east, { stop_id: id, location_type: 0, parent_station: 'S', level_id });
  const feed = busFeed();
  const file = await town.write('levels.zip', {
    ...feed,
    'stops.txt': [
      at(0, { stop_id: 'S', location_type: 1 }),
      platform('subway', 0),
      platform('deep', 80, 'minus 3'),
      platform('tram', 160),
      at(0, { stop_id: 'door', location_type: 2, parent_station: 'S', level_id: 'plus 1' }),
      at(0, { stop_id: 'alone', location_type: 0 }),
      at(0, { stop_id: 'T', location_type: 1 }),
      at(0, { stop_id: 'below', location_type: 0, parent_station: 'T' }),
      at(80, { stop_id: 'bay', location_type: 0, parent_station: 'T' }),
      ...feed['stops.txt'],
    ],
    'levels.txt': [
      { level_id: 'minus 3', level_index: -3 },
      { level_id: 'plus 1', level_index: 1 },
      { level_id: 'broken', level_index: 'deep' },
    ],
  });
  const read = await readFeed(file);
  const doors = new StationDoors(read, new Set(['subway', 'deep', 'alone', 'below']));
  const secondsOf = (id: string) =>
    doors
      .of(read.stops.get(id)!)
      .map(({ secondsIn, secondsOut }) => [secondsIn, secondsOut].map(Math.round));
  // 30 s a level, and 60 s to walk 80 m.
  expect(secondsOf('subway')).toEqual([[90, 90]]);
  expect(secondsOf('deep')).toEqual([[60 + 4 * 30, 60 + 4 * 30]]);
  expect(secondsOf('tram')).toEqual([[120 + 30, 120 + 30]]);
  expect(secondsOf('alone')).toEqual([[60, 60]]);
  const inside = (from: string, to: string) => {
    const { seconds, secondsOfLevels } = doors.within(read.stops.get(from)!).get(to)!;
    return [Math.round(seconds), secondsOfLevels];
  };
  expect(inside('subway', 'deep')).toEqual([60 + 30, 30]);
  expect(inside('subway', 'tram')).toEqual([120 + 60, 60]);
  // Down from the street takes as long as up to it, entrances or none.
  expect(inside('below', 'bay')).toEqual([60 + 60, 60]);
  expect(inside('bay', 'below')).toEqual([60 + 60, 60]);
  expect(read.report.problems).toMatchObject([{ file: 'levels.txt', rows: 1 }]);
  read.source.close();
});

test('a ride by subway takes two minutes more than one by bus: a minute down and a minute up', async () => {
  const feed = busFeed();
  const asType = (type: number) => ({
    ...feed,
    'routes.txt': feed['routes.txt'].map((route) => ({ ...route, route_type: type })),
  });
  expect(await town.minutes('bus.zip', asType(3))).toBe(TIME);
  for (const type of [1, 401, 500, 602]) {
    expect(await town.minutes('metro.zip', asType(type))).toBe(TIME + 2);
  }
  const pathways = [
    { pathway_id: 'p', from_stop_id: 'A', to_stop_id: 'B', pathway_mode: 1, traversal_time: 9_000 },
  ];
  // Pathways that lead to no entrance say nothing of the way to the street.
  const between = { ...asType(1), 'pathways.txt': pathways };
  expect(await town.minutes('between.zip', between)).toBe(TIME + 2);
});

/** Seconds from the entrance of a station to its platform, by some pathways. */
async function secondsIn(...pathways: readonly FeedRecord[]): Promise<number | undefined> {
  const at = (east: number) => {
    const { lon, lat } = pointAt(east, 0);
    return { stop_lon: lon, stop_lat: lat };
  };
  const feed = busFeed();
  const file = await town.write('inside.zip', {
    ...feed,
    'stops.txt': [
      { stop_id: 'S', location_type: 1, ...at(0) },
      { stop_id: 'door', location_type: 2, parent_station: 'S', level_id: 0, ...at(0) },
      { stop_id: 'gate', location_type: 3, parent_station: 'S', level_id: 0, ...at(80) },
      { stop_id: 'hall', location_type: 3, parent_station: 'S', level_id: -2 },
      { stop_id: 'P', location_type: 0, parent_station: 'S', ...at(240) },
      { stop_id: 'rear', location_type: 4, parent_station: 'P' },
      ...feed['stops.txt'],
    ],
    'levels.txt': [0, -2].map((level) => ({ level_id: level, level_index: level })),
    'pathways.txt': pathways.map((way) => ({ is_bidirectional: 1, ...way })),
  });
  const read = await readFeed(file);
  read.source.close();
  const [door, ...others] = new StationDoors(read, new Set()).of(read.stops.get('P')!);
  expect(others).toEqual([]);
  return Math.round(door.secondsIn);
}

const way = (
  from: string,
  to: string,
  pathway_mode: number,
  more: FeedRecord = {},
): FeedRecord => ({
  ...{ from_stop_id: from, to_stop_id: to, pathway_mode, ...more },
});
const [WALKWAY, STAIRS, ESCALATOR, ELEVATOR] = [1, 2, 4, 5];

test('a pathway that does not tell its time takes as long as it is far and high', async () => {
  const gate = way('door', 'gate', WALKWAY);
  // 80 m; two levels; one, as the platform does not tell its own.
  const down = [gate, way('gate', 'hall', ESCALATOR), way('hall', 'P', STAIRS)];
  expect(await secondsIn(...down)).toBe(60 + 2 * 30 + 30);
  const lift = way('gate', 'P', ELEVATOR, { length: 0 });
  expect(await secondsIn(gate, lift)).toBe(60 + 60);
  expect(await secondsIn(gate, way('gate', 'P', WALKWAY, { length: 40 }))).toBe(60 + 30);
  expect(await secondsIn(gate, way('gate', 'P', STAIRS, { stair_count: -40 }))).toBe(60 + 30);
  expect(await secondsIn(gate, way('gate', 'P', ELEVATOR, { traversal_time: 20 }))).toBe(60 + 20);
});

test('pathways lead to a platform by its boarding areas', async () => {
  const stairs = { traversal_time: 90 };
  expect(await secondsIn(way('door', 'rear', STAIRS, stairs))).toBe(90);
});

test('levels take time between two rides too, but no metres of the walk', async () => {
  // A line from A to P, and another from Q, so many metres on, to B: `wait` minutes later.
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
  // To A, a minute and a half to board, the ride, the change, the ride; and down to A and up from B.
  const time = (wait: number, levels: number) => Math.ceil(3.5 + 1.5 + 4 + wait + 3 + 2.5 + levels);
  // 976 m are 12.2 minutes; to them come a minute down, one up where both are below, and one to board.
  expect(await timeWith(976, 14.3, [bus, subway])).toBe(time(14.3, 1));
  expect(await timeWith(976, 14.1, [bus, subway])).toBe(time(24.1, 1));
  expect(await timeWith(976, 15.3, [subway, subway])).toBe(time(15.3, 2));
  expect(await timeWith(976, 15.1, [subway, subway])).toBe(time(25.1, 2));
  expect(await timeWith(1_010, 20, [subway, subway])).toBe(undefined);
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

test('a bus every twenty minutes in each of two directions makes no frequent stop', async () => {
  const stops = { W: 200, A: STOPS.A, B: STOPS.B };
  const everyTwenty = busLine().filter((_, n) => n % 2 === 0);
  const trips = everyTwenty.flatMap(({ calls: [[, at], there] }): AvenueTrip[] => [
    { calls: [['A', at], there] },
    tripFrom(at, { A: 0, W: 2 }),
  ]);
  const feed = avenueFeed(stops, trips);
  const frequentWith = async (name: string, more: FeedRecord) => {
    const told = feed['trips.txt'].map((trip) => ({ ...trip, ...more }));
    const file = await town.write(name, { ...feed, 'trips.txt': told });
    return (await town.build([file])).frequent;
  };
  // By where they end, as no direction is told; were all in one, there would be six an hour.
  expect(await frequentWith('both-ways.zip', {})).toEqual([]);
  expect(await frequentWith('one-way.zip', { direction_id: 0 })).toEqual(['A']);
});
