import { expect, test } from 'vitest';
import { StationEntrances } from '../../builder/gtfs/entrances.ts';
import { type Feed, type RailKind, readFeed } from '../../builder/gtfs/feed.ts';
import type { TransitOfFeeds } from '../../builder/transit/join-feeds.ts';
import { assumeLevels } from '../../builder/transit/station-levels.ts';
import { type AvenueTrip, avenueFeed, tripFrom } from './avenue.ts';
import { BusTown, busFeed, busLine, EIGHT, RIDE, STOPS, TIME } from './bus-town.ts';
import type { FeedRecord, FeedTables } from './gtfs-text.ts';
import { pointAt } from './small-city.ts';

const town = new BusTown();

/**
 * Seconds in and out by the entrances of stops, and inside to other stops. `rails` has the kind of
 * rail that calls at each stop, if any.
 */
function stationsIn(read: Feed, rails: Readonly<Record<string, RailKind>> = {}) {
  const entrances = new StationEntrances(read, new Map(Object.entries(rails)));
  const platforms = [...read.stops.values()].filter(({ type }) => type === 0);
  const ids = platforms.map(({ id }) => id);
  const stops = platforms.map((stop) => {
    return { ...stop, entrances: entrances.of(stop), rails: rails[stop.id] ?? null };
  });
  const insideWalks = platforms.flatMap((stop, from) =>
    [...entrances.within(stop)].flatMap(([id, { seconds, lies }]) =>
      ids.includes(id) ? [{ from, to: ids.indexOf(id), time: seconds * 1000, lies }] : [],
    ),
  );
  const levelled = assumeLevels({ stops, insideWalks } as unknown as TransitOfFeeds, []);
  return {
    entrancesOf: (id: string) => levelled.stops[ids.indexOf(id)].entrances,
    secondsOf: (id: string) =>
      levelled.stops[ids.indexOf(id)].entrances.map(({ secondsIn, secondsOut }) =>
        [secondsIn, secondsOut].map(Math.round),
      ),
    inside: (from: string, to: string) => {
      const walk = levelled.insideWalks.find(
        (one) => ids[one.from] === from && ids[one.to] === to && one.from !== one.to,
      );
      return walk && [Math.round(walk.time / 1000), walk.levels / 1000];
    },
  };
}

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

test('a station whose pathways reach none of its entrances is also entered by them, a straight walk away', async () => {
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
  const { entrancesOf, secondsOf, inside } = stationsIn(read);
  // The entrance in the west is 500 m away, at 80 m per minute.
  expect(secondsOf('A')).toEqual([
    [375, 375],
    [0, 0],
  ]);
  expect(entrancesOf('A')[0].lon).toBe(at(STOPS.A - 300, 0).stop_lon);
  expect(['other', 'across'].map((id) => inside('A', id))).toEqual([
    [60, 0],
    [20, 0],
  ]);
  const { lon, lat } = read.stops.get('B')!;
  expect(entrancesOf('B')).toEqual([{ lon, lat, secondsIn: 0, secondsOut: 0, secondsOfLevels: 0 }]);
  expect(inside('B', 'A')).toBe(undefined);
  read.source.close();
});

test('without pathways a platform has the given levels from the street, a subway’s two by default', async () => {
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
  const { secondsOf, inside } = stationsIn(read, {
    subway: 'subway',
    deep: 'subway',
    alone: 'subway',
    below: 'subway',
    tram: 'tram',
  });
  // 50 s per level, and 60 s to walk 80 m.
  expect(secondsOf('subway')).toEqual([[3 * 50, 3 * 50]]);
  expect(secondsOf('deep')).toEqual([[60 + 4 * 50, 60 + 4 * 50]]);
  expect(secondsOf('tram')).toEqual([[120 + 50, 120 + 50]]);
  // Where no entrance is known, another 50 s for the way inside.
  expect(secondsOf('alone')).toEqual([[150, 150]]);
  expect(inside('subway', 'deep')).toEqual([60 + 50, 50]);
  expect(inside('subway', 'tram')).toEqual([120 + 100, 100]);
  // The way down from the street takes as long as that up to it, with or without entrances.
  expect(inside('below', 'bay')).toEqual([60 + 100, 100]);
  expect(inside('bay', 'below')).toEqual([60 + 100, 100]);
  expect(read.report.problems).toMatchObject([{ file: 'levels.txt', rows: 1 }]);
  read.source.close();
});

test('a stop that may be entered from the street is entered there, whatever its station has', async () => {
  const at = (east: number, more: FeedRecord): FeedRecord => {
    const { lon, lat } = pointAt(east, 0);
    return { stop_lon: lon, stop_lat: lat, ...more };
  };
  const platform = (id: string, stop_access: number | '') =>
    at(80, { stop_id: id, location_type: 0, parent_station: 'S', stop_access });
  const feed = busFeed();
  const file = await town.write('access.zip', {
    ...feed,
    'stops.txt': [
      at(0, { stop_id: 'S', location_type: 1 }),
      at(0, { stop_id: 'door', location_type: 2, parent_station: 'S' }),
      platform('bay', 1),
      platform('ramp', 1),
      platform('subway', 0),
      platform('unknown', ''),
      ...feed['stops.txt'],
    ],
    'pathways.txt': [
      {
        pathway_id: 'ramp',
        from_stop_id: 'door',
        to_stop_id: 'ramp',
        pathway_mode: 1,
        is_bidirectional: 1,
        traversal_time: 90,
      },
    ],
  });
  const read = await readFeed(file);
  const { entrancesOf, secondsOf, inside } = stationsIn(read, { bay: 'subway', subway: 'subway' });
  expect(['bay', 'ramp'].map(secondsOf)).toEqual([[[0, 0]], [[0, 0]]]);
  expect(entrancesOf('bay')[0].lon).toBe(pointAt(80, 0).lon);
  expect(secondsOf('subway')).toEqual([[60 + 100, 60 + 100]]);
  expect(secondsOf('unknown')).toEqual([[60, 60]]);
  // Riders who change there go out to the street.
  expect(inside('bay', 'subway')).toBe(undefined);
  expect(inside('subway', 'bay')).toBe(undefined);
  expect(inside('unknown', 'subway')).toEqual([100, 100]);
  read.source.close();
});

/** Minutes between the street and the platform of a subway without details. */
const DOWN = 2.5;

test('a subway ride takes two and a half minutes down and as long up, other rides none', async () => {
  const feed = busFeed();
  const asType = (type: number) => ({
    ...feed,
    'routes.txt': feed['routes.txt'].map((route) => ({ ...route, route_type: type })),
  });
  for (const type of [0, 2, 3, 5, 7, 101, 700, 900]) {
    expect(await town.minutes('street.zip', asType(type)), `${type}`).toBe(TIME);
  }
  // Every train leaves on a whole minute, just as a rider is ready for it.
  const below = 3.5 + DOWN + 1 + RIDE + DOWN + 2.5;
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

test('platforms of nearby subways without a station count as one', async () => {
  const at = (east: number, more: FeedRecord): FeedRecord => {
    const { lon, lat } = pointAt(east, 0);
    return { stop_lon: lon, stop_lat: lat, ...more };
  };
  const feed = busFeed();
  const file = await town.write('alone.zip', {
    ...feed,
    'stops.txt': [
      at(0, { stop_id: 'east' }),
      at(160, { stop_id: 'west' }),
      at(210, { stop_id: 'far' }),
      at(20, { stop_id: 'bus' }),
      at(0, { stop_id: 'S', location_type: 1 }),
      at(0, { stop_id: 'held', parent_station: 'S' }),
      ...feed['stops.txt'],
    ],
  });
  const read = await readFeed(file);
  const subways = Object.fromEntries(['east', 'west', 'far', 'held'].map((id) => [id, 'subway']));
  const { inside } = stationsIn(read, subways as Record<string, RailKind>);
  // 160 m at 80 m per minute.
  expect([inside('east', 'west'), inside('west', 'east')]).toEqual([
    [120, 0],
    [120, 0],
  ]);
  for (const other of ['far', 'bus', 'held']) expect(inside('east', other), other).toBe(undefined);
  read.source.close();
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
  const [[into], ...others] = stationsIn(read).secondsOf('P');
  expect(others).toEqual([]);
  return into;
}

const way = (
  from: string,
  to: string,
  pathway_mode: number,
  more: FeedRecord = {},
): FeedRecord => ({
  from_stop_id: from,
  to_stop_id: to,
  pathway_mode,
  ...more,
});
const [WALKWAY, STAIRS, ESCALATOR, ELEVATOR] = [1, 2, 4, 5];

test('a pathway without a time takes as long as its length and height require', async () => {
  const gate = way('door', 'gate', WALKWAY);
  // The walkway is 80 m long. The escalator goes down two levels; the stairs count as one level,
  // since the platform states none.
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
  // The way to A, a minute to board, the ride, the transfer, the ride, and the way from B. A bus
  // comes half a minute after that minute.
  const time = (first: number, wait: number) => {
    const toA = first === subway ? 3.5 + DOWN + 1 : 3.5 + 1.5;
    return Math.ceil(toA + 4 + wait + 3 + DOWN + 2.5);
  };
  // 976 m take 12.2 minutes; add those down, those up if both lines are below, and one to board.
  expect(await timeWith(976, 15.8, [bus, subway])).toBe(time(bus, 15.8));
  expect(await timeWith(976, 15.6, [bus, subway])).toBe(time(bus, 25.6));
  expect(await timeWith(976, 18.3, [subway, subway])).toBe(time(subway, 18.3));
  expect(await timeWith(976, 18.1, [subway, subway])).toBe(time(subway, 28.1));
  expect(await timeWith(1_010, 20, [subway, subway])).toBe(undefined);
});

test('a stop with four departures in the hour is a POI, and so is a station', async () => {
  const { frequent } = await town.build([await town.write('busy.zip', busFeed())]);
  // No trip departs from B.
  expect(frequent).toEqual(['A']);

  // Three departures from each of two platforms, and from a separate stop.
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

test('a bus every twenty minutes in each of two directions does not make a frequent stop', async () => {
  const stops = { W: 200, A: STOPS.A, B: STOPS.B };
  const everyTwenty = busLine().filter((_, n) => n % 2 === 0);
  const trips = everyTwenty.flatMap(({ calls: [[, at], there] }): AvenueTrip[] => [
    { calls: [['A', at], there] },
    tripFrom(at, { A: 0, W: 2 }),
  ]);
  const feed = avenueFeed(stops, trips);
  const frequentWith = async (name: string, more: FeedRecord) => {
    const reported = feed['trips.txt'].map((trip) => ({ ...trip, ...more }));
    const file = await town.write(name, { ...feed, 'trips.txt': reported });
    return (await town.build([file])).frequent;
  };
  // Last stops give the directions, as none is stated; a single direction would have six an hour.
  expect(await frequentWith('both-ways.zip', {})).toEqual([]);
  expect(await frequentWith('one-way.zip', { direction_id: 0 })).toEqual(['A']);
});
