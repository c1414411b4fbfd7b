import path from 'node:path';
import { expect, test } from 'vitest';
import type { MapShapes } from '../../builder/base-map/map-shapes.ts';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import { openFeedSource } from '../../builder/gtfs/feed-source.ts';
import { Shapes } from '../../builder/gtfs/shapes.ts';
import { readTrips } from '../../builder/gtfs/trips.ts';
import { routeLines } from '../../builder/transit/route-lines.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service, wholeDay } from './feed-records.ts';
import { writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();

/** A trip along stops 0 to 3, a hundredth of a degree apart on the equator. */
interface Trip {
  readonly route: string;
  readonly stops: readonly number[];
  /** Positions of its shape, in hundredths of a degree east and north of stop 0. */
  readonly shape?: readonly (readonly [east: number, north: number])[];
  readonly isOtherDay?: boolean;
}

async function linesOf(trips: readonly Trip[], usesShapes = true): Promise<MapShapes> {
  const file = await writeFeed(path.join(folder, 'feed'), {
    'agency.txt': [AGENCY],
    'stops.txt': [0, 1, 2, 3].map((i) => ({ stop_id: i, stop_lat: 0, stop_lon: 90 + i / 100 })),
    'routes.txt': [
      { route_id: 'red', route_short_name: 'R', route_type: 1, route_color: 'ff0000' },
      { route_id: 'bus', route_long_name: 'Bus', route_type: 3, route_color: 'FFFFFF' },
      { route_id: 'tram', route_short_name: 'T', route_type: 0, route_color: '#00aeef' },
    ],
    'trips.txt': trips.map(({ route, shape, isOtherDay }, i) => ({
      trip_id: i,
      route_id: route,
      service_id: isOtherDay ? 'other' : 'daily',
      shape_id: shape ? `s${i}` : '',
    })),
    'stop_times.txt': trips.flatMap(({ stops }, i) =>
      stops.map((stop, at) => ({
        trip_id: i,
        stop_id: stop,
        stop_sequence: at,
        arrival_time: `8:0${at}:00`,
        departure_time: `8:0${at}:00`,
      })),
    ),
    'shapes.txt': trips.flatMap(({ shape = [] }, i) =>
      shape.map(([east, north], at) => ({
        shape_id: `s${i}`,
        shape_pt_lat: north / 100,
        shape_pt_lon: 90 + east / 100,
        shape_pt_sequence: at,
      })),
    ),
    'calendar.txt': [
      service('daily', '1111111', 20260301, 20260331),
      service('other', '1111111', 20260401, 20260430),
    ],
  });
  const feed = await readFeed(file);
  try {
    const runs = (await readTrips(feed, [wholeDay('20260311')])).map(({ run }) => run);
    const wanted = new Set(runs.map(({ shape }) => shape));
    const shapes = usesShapes ? await Shapes.read(feed.source, wanted, new FeedReport()) : null;
    return routeLines(feed, runs, shapes);
  } finally {
    feed.source.close();
  }
}

/** The parts of each line, as hundredths of a degree east and north, by the name of its route. */
function drawn(lines: MapShapes): Record<string, string[]> {
  const [firstPart, firstPoint] = [lines.firstPart.view(), lines.firstPoint.view()];
  const perHundredth = 2 ** 30 / 36_000;
  const at = (i: number) => {
    const east = (lines.x.view()[i] - 3 * 2 ** 28) / perHundredth;
    const north = (2 ** 29 - lines.y.view()[i]) / perHundredth;
    return [east, north].map((one) => Math.abs(Math.round(one * 100) / 100)).join(',');
  };
  return Object.fromEntries(
    Array.from(lines.kind.view(), (kind, feature) => [
      Object.fromEntries(lines.kinds.all[kind].properties.map(([key, value]) => [key, value])).name,
      Array.from({ length: firstPart[feature + 1] - firstPart[feature] }, (_, i) => {
        const part = firstPart[feature] + i;
        const points = firstPoint[part + 1] - firstPoint[part];
        return Array.from({ length: points }, (_, p) => at(firstPoint[part] + p)).join(' ');
      }),
    ]),
  );
}

const AROUND = [
  [0, 0],
  [0, 1],
  [2, 1],
  [2, 0],
] as const;

test('a route follows its shapes; one without shapes goes straight from stop to stop', async () => {
  const lines = await linesOf([
    { route: 'red', stops: [0, 2], shape: AROUND },
    { route: 'bus', stops: [0, 1, 3] },
    { route: 'tram', stops: [1, 2] },
  ]);
  expect(drawn(lines)).toEqual({
    Bus: ['0,0 1,0 3,0'],
    R: ['0,0 0,1 2,1 2,0'],
    T: ['1,0 2,0'],
  });
  const kinds = lines.kinds.all.map(({ properties }) =>
    properties.map(([key, value]) => [key, value]),
  );
  expect(kinds.map(Object.fromEntries)).toEqual([
    { name: 'Bus', agency: 'A to B' },
    { name: 'R', agency: 'A to B', color: '#FF0000', rail: 'subway' },
    { name: 'T', agency: 'A to B', color: '#00AEEF', rail: 'tram' },
  ]);
});

test('shapes that cannot be read leave lines from stop to stop', async () => {
  const lines = await linesOf([{ route: 'red', stops: [0, 2], shape: AROUND }], false);
  expect(drawn(lines)).toEqual({ R: ['0,0 2,0'] });
});

test('shapes of more points than lines are drawn along are refused', async () => {
  const file = await writeFeed(path.join(folder, 'feed'), {
    'shapes.txt': AROUND.map(([east, north], i) => ({
      shape_id: 's',
      shape_pt_lat: north + 1,
      shape_pt_lon: east,
      shape_pt_sequence: i,
    })),
  });
  const source = await openFeedSource(file);
  const read = (most: number) => Shapes.read(source, new Set(['s']), new FeedReport(), most);
  try {
    await expect(read(3)).rejects.toThrow('more than 3 points of shapes');
    expect((await read(4)).pointsOf('s')?.lon).toHaveLength(4);
  } finally {
    source.close();
  }
});

test('a stretch that several trips of a route take, or one takes back, is drawn once', async () => {
  const lines = await linesOf([
    { route: 'bus', stops: [0, 1, 2] },
    { route: 'bus', stops: [2, 1, 0] },
    { route: 'bus', stops: [3, 2, 1] },
    { route: 'red', stops: [0, 1] },
  ]);
  expect(drawn(lines)).toEqual({ Bus: ['0,0 1,0 2,0', '3,0 2,0'], R: ['0,0 1,0'] });
});

test('a route that does not run on the day is left out, and leaves the keys of others as they are', async () => {
  const bus = { route: 'bus', stops: [0, 1] };
  const red = { route: 'red', stops: [1, 2] };
  const both = await linesOf([bus, red]);
  const one = await linesOf([{ ...bus, isOtherDay: true }, red]);
  expect(drawn(one)).toEqual({ R: ['1,0 2,0'] });
  expect(one.keys.view()[0]).toBe(both.keys.view()[1]);
});

test.each([1, 2])(
  'a shape of one point, stated %i times, leaves its line from stop to stop',
  async (times) => {
    const shape = Array.from({ length: times }, () => [0, 9000] as const);
    const lines = await linesOf([{ route: 'red', stops: [0, 2], shape }]);
    expect(drawn(lines)).toEqual({ R: ['0,0 2,0'] });
  },
);

test('a point at 0,0, for want of a place, is not on a line', async () => {
  const shape = [
    [0, 0],
    [-9000, 0],
    [0, 1],
    [2, 0],
  ] as const;
  const lines = await linesOf([{ route: 'red', stops: [0, 2], shape }]);
  expect(drawn(lines)).toEqual({ R: ['0,0 0,1 2,0'] });
});

test('a line across the antimeridian does not go around the world', async () => {
  const shape = [
    [8990, 0],
    [8999, 0],
    [-26999, 0],
    [-26990, 0],
  ] as const;
  const lines = await linesOf([{ route: 'red', stops: [0, 2], shape }]);
  expect(Object.values(drawn(lines))[0]).toHaveLength(2);
});
