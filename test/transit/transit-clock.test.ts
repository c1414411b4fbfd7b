import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FeedOutline } from '../../builder/gtfs/feed-outline.ts';
import { dateFeeds, outlineFeeds } from '../../builder/transit/date-feeds.ts';
import { clockOf, opensAt, shiftOf } from '../../builder/transit/transit-clock.ts';
import { EVERYWHERE } from '../../shards/geometry/wgs84.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service } from './feed-records.ts';
import { writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();
const HOUR = 3_600_000;
const JULY = '20260715';
const NOVEMBER = '20261115';

describe('the common clock', () => {
  /** A feed with stops in some zones, by their degrees to the east. */
  const outline = (trips: number, timeZone: string, east: Readonly<Record<string, number>>) => {
    const zones = new Map(
      Object.entries(east).map(([zone, lon]) => [
        zone,
        { minLon: lon, minLat: 40, maxLon: lon + 0.1, maxLat: 40.1 },
      ]),
    );
    return { trips, timeZone, zones } as unknown as FeedOutline;
  };
  const [york, chicago, angeles] = ['America/New_York', 'America/Chicago', 'America/Los_Angeles'];

  test('is that of the feed with the most trips, and of the first of several', () => {
    const feeds = [outline(5, chicago, {}), outline(9, york, {}), outline(9, angeles, {})];
    expect(clockOf(feeds, JULY, EVERYWHERE)).toMatchObject({ common: JULY, aheadOfUtc: -4 * 3600 });
    expect(clockOf(feeds.toReversed(), NOVEMBER, EVERYWHERE).aheadOfUtc).toBe(-8 * 3600);
  });

  test('has windows that open at eight in each zone, and ends two hours after the last of them opens', () => {
    const feeds = [outline(9, chicago, { [york]: -80, [chicago]: -87 }), outline(1, york, {})];
    const clock = clockOf(feeds, JULY, EVERYWHERE);
    expect([clock.earliest, clock.latest].map((time) => time / HOUR)).toEqual([7, 10]);
    const west = [outline(9, chicago, { [chicago]: -87, [angeles]: -118 })];
    const later = clockOf(west, JULY, EVERYWHERE);
    expect([later.earliest, later.latest].map((time) => time / HOUR)).toEqual([8, 12]);
  });

  test('leaves out zones that no train gets to from the area', () => {
    const feeds = [outline(9, york, { [york]: -75, [angeles]: -118 })];
    const at = (lon: number) => ({ minLon: lon, minLat: 40, maxLon: lon + 0.1, maxLat: 40.1 });
    expect(clockOf(feeds, JULY, at(-75)).latest / HOUR).toBe(10);
    // 300 km are three and a half degrees there.
    expect(clockOf(feeds, JULY, at(-118.1 - 3.4)).latest / HOUR).toBe(13);
    expect(clockOf(feeds, JULY, at(-118.1 - 3.7)).latest / HOUR).toBe(10);
  });

  test('shifts a zone by how far it is behind on the common day', () => {
    for (const [zone, hours] of [
      [york, 0],
      [chicago, 1],
      [angeles, 3],
      ['UTC', -4],
      ['America/Phoenix', 3],
    ] as const) {
      const clock = { common: JULY, opens: 8 * HOUR, aheadOfUtc: -4 * 3600 };
      expect(shiftOf(clock, zone)).toBe(hours * 3600);
      expect(opensAt(clock, zone)).toBe((8 + hours) * HOUR);
    }
    expect(shiftOf({ common: NOVEMBER, aheadOfUtc: -5 * 3600 }, 'America/Phoenix')).toBe(7_200);
  });
});

/** Writes a feed with some trips, by default one, on each weekday of a year. */
function writeLine(name: string, more: { readonly from?: number; readonly trips?: number } = {}) {
  const { from = 20260101, trips = 1 } = more;
  const ids = Array.from({ length: trips }, (_, i) => `${name} ${i}`);
  return writeFeed(path.join(folder, name), {
    'agency.txt': [{ ...AGENCY, agency_name: name }],
    'stops.txt': ['A', 'B'].map((id, i) => ({
      stop_id: id,
      stop_name: id,
      stop_lat: 39 + i,
      stop_lon: -76,
    })),
    'routes.txt': [{ route_id: 'red', agency_id: 'A', route_type: 3 }],
    'calendar.txt': [service('w', '1111100', from, from + 1130)],
    'trips.txt': ids.map((id) => ({ route_id: 'red', service_id: 'w', trip_id: id })),
    'stop_times.txt': ids.flatMap((id, at) =>
      ['A', 'B'].map((stop, i) => ({
        trip_id: id,
        stop_id: stop,
        stop_sequence: i,
        arrival_time: `08:0${at}:00`,
        departure_time: `08:0${at}:00`,
      })),
    ),
  });
}

test('each feed gets its own day, and the clock the common one', async () => {
  const paths = await Promise.all([
    writeLine('this year'),
    writeLine('long ago', { from: 20200101, trips: 2 }),
  ]);
  const { clock, feeds } = await dateFeeds(
    await outlineFeeds(paths, { asked: Date.UTC(2026, 2, 11) / 86_400_000, near: 20_500 }),
  );
  expect(clock.common).toBe('20260311');
  expect(feeds.map(({ path }) => path)).toEqual(paths);
  expect(feeds[0].day).toBe('20260311');
  expect(feeds[1].day).toMatch(/^202[01]/);
  expect(new Set(feeds.map(({ sha256 }) => sha256)).size).toBe(2);
  for (const { sha256, patterns } of feeds) {
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(patterns.length).toBeGreaterThan(0);
  }
});
