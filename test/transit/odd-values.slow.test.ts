import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { readFeedDay } from '../../builder/transit/feed-day.ts';
import { feedSchema } from '../../shards/release/manifest.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { AGENCY, service } from './feed-records.ts';
import { type FeedRecord, writeFeed } from './gtfs-text.ts';

const HOUR = 3_600_000;
const place = (north: number) => ({ stop_lat: 39 + north / 1_000, stop_lon: -76.6 });
/** A feed with every table that is read. */
const TABLES: Readonly<Record<string, readonly FeedRecord[]>> = {
  'agency.txt': [AGENCY],
  'feed_info.txt': [{ feed_id: 'f', feed_start_date: 20260301, feed_end_date: 20260331 }],
  'levels.txt': [{ level_id: 'L', level_index: -1 }],
  'stops.txt': [
    { stop_id: 'S', ...place(0), location_type: 1, parent_station: '', level_id: '' },
    { stop_id: 'p', ...place(1), location_type: 0, parent_station: 'S', level_id: 'L' },
    { stop_id: 'door', ...place(0), location_type: 2, parent_station: 'S', level_id: '' },
    { stop_id: 'area', ...place(1), location_type: 4, parent_station: 'p', level_id: 'L' },
    { stop_id: 'b', ...place(20), location_type: '', parent_station: '', level_id: '' },
    { stop_id: 'c', ...place(40), location_type: '', parent_station: '', level_id: '' },
  ],
  'routes.txt': [{ route_id: 'r', route_type: 1, route_short_name: 'R' }],
  'calendar.txt': [service('s', '1111111', 20260301, 20260331)],
  'calendar_dates.txt': [{ service_id: 's', date: 20260312, exception_type: 2 }],
  'trips.txt': ['t', 'u'].map((trip_id) => {
    return {
      trip_id,
      service_id: 's',
      route_id: 'r',
      shape_id: 'h',
      block_id: 'k',
      direction_id: 0,
    };
  }),
  'stop_times.txt': ['t', 'u'].flatMap((trip_id, trip) =>
    ['p', 'b', 'c'].map((stop_id, i) => {
      const time = i === 1 ? '' : `8:${trip}${i}:00`;
      return {
        trip_id,
        stop_id: trip === 1 && i === 0 ? 'area' : stop_id,
        stop_sequence: i,
        arrival_time: time,
        departure_time: time,
        shape_dist_traveled: trip * i,
        pickup_type: 0,
        drop_off_type: 0,
      };
    }),
  ),
  'shapes.txt': [0, 1, 2].map((i) => {
    return { shape_id: 'h', shape_pt_sequence: i, shape_pt_lat: 39 + i / 50, shape_pt_lon: -76.6 };
  }),
  'frequencies.txt': [
    { trip_id: 'u', start_time: '8:00:00', end_time: '9:00:00', headway_secs: 900, exact_times: 1 },
  ],
  'transfers.txt': [
    { from_stop_id: 'p', to_stop_id: 'b', transfer_type: 2, min_transfer_time: 60 },
  ],
  'pathways.txt': [
    {
      pathway_id: 'w',
      from_stop_id: 'door',
      to_stop_id: 'p',
      pathway_mode: 2,
      is_bidirectional: 1,
    },
  ],
};
const cells = Object.entries(TABLES).flatMap(([file, rows]) =>
  rows.flatMap((row, i) => Object.keys(row).map((column) => ({ file, row: i, column }))),
);
const VALUES = [
  ...['', ' ', 'x', '-1', '0', '1', '2.5', '1e400', '-1e400', 'NaN', 'Infinity', '1e15', '1e-320'],
  ...['__proto__', 'constructor', 'toString', 'true', '0x10', '٣', '90', '-180', '99999999'],
  ...['20260230', '00:00:00', '168:00:00', '-8:00:00', 'p', 'S', 'door', 'area', 't', 's', 'UTC'],
];

test('whatever a cell of a feed has, the feed gives finite times and facts that the manifest can hold, or an error of the feed', async () => {
  const folder = await folderOfThisTest();
  const change = fc.tuple(fc.constantFrom(...cells), fc.constantFrom(...VALUES));
  let feeds = 0;
  await forAll(100, fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
    const tables = structuredClone(TABLES) as Record<string, Record<string, string | number>[]>;
    for (const [{ file, row, column }, value] of changes) tables[file][row][column] = value;
    const file = await writeFeed(path.join(folder, `feed ${feeds++}`), tables);
    try {
      const feed = await readFeed(file);
      const clock = {
        common: '20260311',
        aheadOfUtc: 0,
        earliest: 8 * HOUR,
        latest: 20 * HOUR,
        opens: 8 * HOUR,
        length: HOUR,
      };
      const of = { path: file, sha256: 'abc', day: '20260311', patterns: [], best: 1, without: [] };
      const { feedDay, facts } = await readFeedDay(feed, of, clock);
      feed.source.close();
      feedSchema.parse(facts);
      for (const { lon, lat, entrances } of feedDay.stops) {
        expect([lon, lat].every(Number.isFinite)).toBe(true);
        for (const entrance of entrances) {
          expect([entrance.lon, entrance.lat].every(Number.isFinite)).toBe(true);
          expect(entrance.secondsIn).toBeGreaterThanOrEqual(0);
          expect(entrance.secondsOut).toBeGreaterThanOrEqual(0);
        }
      }
      for (const { stops, arrivals, departures } of feedDay.trips) {
        stops.forEach((stop, i) => {
          expect(feedDay.stops[stop]).toBeDefined();
          expect(departures[i]).toBeGreaterThanOrEqual(arrivals[i]);
          if (i > 0) expect(arrivals[i]).toBeGreaterThanOrEqual(departures[i - 1]);
        });
      }
      for (const { time } of feedDay.insideWalks) expect(Number.isFinite(time)).toBe(true);
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      expect(error.message.startsWith(`${file}: `)).toBe(true);
    }
  });
});
