import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { readFeedOutline } from '../../builder/gtfs/feed-outline.ts';
import { openFeedSource } from '../../builder/gtfs/feed-source.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service } from './feed-records.ts';
import { writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();
const at = (name: string) => path.join(folder, name);
const TABLES = { 'stops.txt': [{ stop_id: 'a' }], 'trips.txt': [{ trip_id: 't' }] };

test.each([
  ['a folder', 'feed', {}],
  ['an archive', 'feed.zip', {}],
  ['an archive with a folder in it', 'feed.zip', { inFolder: 'inside/it' }],
])('the tables of a feed are read by name from %s', async (_, name, style) => {
  const file = await writeFeed(at(name), TABLES, style);
  const source = await openFeedSource(file);
  try {
    expect(source.path).toBe(file);
    expect(['stops.txt', 'trips.txt', 'levels.txt'].map((one) => source.has(one))).toEqual([
      true,
      true,
      false,
    ]);
    expect(await text(await source.stream('trips.txt'))).toBe('trip_id\nt\n');
  } finally {
    source.close();
  }
});

test('files of other kinds, and those that macOS adds, are no tables', async () => {
  const file = await writeFeed(at('feed.zip'), {
    ...TABLES,
    'notes.csv': [{ a: 1 }],
    '__MACOSX/stops.txt': [{ a: 1 }],
    '__MACOSX/levels.txt': [{ a: 1 }],
  });
  const source = await openFeedSource(file);
  expect(['notes.csv', 'levels.txt'].map((one) => source.has(one))).toEqual([false, false]);
  expect(await text(await source.stream('stops.txt'))).toBe('stop_id\na\n');
  source.close();
});

test('an archive with two feeds is refused by the table that it has twice', async () => {
  const file = await writeFeed(at('feed.zip'), { ...TABLES, 'other/trips.txt': [{ a: 1 }] });
  await expect(openFeedSource(file)).rejects.toThrow(BuildError);
  await expect(openFeedSource(file)).rejects.toThrow(
    `${file}: contains trips.txt twice; put each feed into an archive of its own`,
  );
});

test('a missing feed is refused by name', async () => {
  await expect(openFeedSource(at('none.zip'))).rejects.toThrow(BuildError);
  await expect(openFeedSource(at('none.zip'))).rejects.toThrow(at('none.zip'));
});

test('the outline of a feed has its zones with the box of each, its days and its trips', async () => {
  const file = await writeFeed(at('feed'), {
    'agency.txt': [AGENCY],
    'stops.txt': [
      { stop_id: 'a', stop_lat: 39, stop_lon: -76 },
      { stop_id: 'b', stop_lat: 40, stop_lon: -77 },
      { stop_id: 'west', stop_lat: 41, stop_lon: -87, stop_timezone: 'America/Chicago' },
      { stop_id: 'node', location_type: 3, stop_timezone: 'Asia/Tokyo' },
    ],
    'trips.txt': ['t', 'u'].map((id) => ({ trip_id: id, service_id: 'daily', route_id: 'red' })),
    'frequencies.txt': [
      { trip_id: 'u', start_time: '8:00:00', end_time: '9:00:00', headway_secs: 600 },
    ],
    'stop_times.txt': [],
    'calendar.txt': [service('daily', '1111100', 20260302, 20260313)],
    'feed_info.txt': [{ feed_id: 'ours', feed_publisher_name: 'City Hall' }],
  });
  const { zones, days, sketch, ...rest } = await readFeedOutline(file, 20_500);
  expect(rest).toEqual({
    path: file,
    agency: 'A to B',
    timeZone: 'America/New_York',
    info: { feedId: 'ours', publisher: 'City Hall', firstDay: null, lastDay: null },
    trips: 1 + 6,
    problems: [],
  });
  expect(zones).toEqual(
    new Map([
      ['America/New_York', { minLon: -77, minLat: 39, maxLon: -76, maxLat: 40 }],
      ['America/Chicago', { minLon: -87, minLat: 41, maxLon: -87, maxLat: 41 }],
    ]),
  );
  expect(days.ordinary.size).toBe(10);
  expect(sketch).toEqual({
    feedId: 'ours',
    agencies: new Set(['a to b']),
    day: '20260302',
    trips: new Map([['red', 7]]),
    path: file,
  });
});
