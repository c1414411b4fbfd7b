import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Feed, readFeed } from '../../../builder/gtfs/feed.ts';
import type { ServiceDate } from '../../../builder/gtfs/service-time.ts';
import { boxContains } from '../../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../../shards/units.ts';
import { ensureDebianPackage } from '../../support/debian.ts';

const run = promisify(execFile);
/** Columns that say whether riders board and leave, and their value where they do not. */
const BOARDING = ['pickup_type', 'drop_off_type'];
const NOT_POSSIBLE = '1';

interface OneDay {
  /** The day on which each feed is read, in the order of the feeds. */
  readonly days: readonly ServiceDate[];
  /** YYYY-MM-DD. */
  readonly date: string;
  /** The box of the map; null if not stated. */
  readonly box: BoundingBox | null;
}

/**
 * Copies feeds so that the service of each feed's day runs on one date, and on no other. Engines
 * limited to one date then read the same trips. Stops off the map are closed to riders, since
 * each engine links them to its edge by rules of its own.
 */
export async function oneDayFeeds(
  feeds: readonly string[],
  { days, date, box }: OneDay,
  folder: string,
): Promise<string[]> {
  await ensureDebianPackage('unzip', 'unzip');
  await ensureDebianPackage('zip', 'zip');
  return Promise.all(
    feeds.map(async (archive, i) => {
      const feed = await readFeed(archive);
      const day = days[i];
      // Inactive services are listed too: engines object to trips of an unknown service.
      const rows = [...feed.tripsOfService.keys()].map((service) => {
        const exception = feed.calendar.runsOn(service, day) ? 1 : 2;
        return `"${service}",${date.replaceAll('-', '')},${exception}`;
      });
      feed.source.close();
      const files = path.join(folder, `feed-${i}`);
      const copy = path.join(folder, path.basename(archive));
      mkdirSync(files);
      await run('unzip', ['-q', archive, '-d', files]);
      rmSync(path.join(files, 'calendar.txt'), { force: true });
      rmSync(path.join(files, 'feed_info.txt'), { force: true });
      rewriteCalls(path.join(files, 'stop_times.txt'), feed, box);
      const lines = ['service_id,date,exception_type', ...rows];
      writeFileSync(path.join(files, 'calendar_dates.txt'), `${lines.join('\n')}\n`);
      await run('zip', ['-q', '-r', '-j', copy, files]);
      return copy;
    }),
  );
}

/**
 * Leaves out calls of trips that the feed does not have, which OpenTripPlanner refuses, and closes
 * those at stops off the map to riders. No call in any of these feeds has a comma within a field.
 */
function rewriteCalls(file: string, { trips, stops }: Feed, box: BoundingBox | null): void {
  const text = readFileSync(file, 'utf8').replace('\uFEFF', '').trim();
  const [head, ...rows] = text.split(/\r?\n/).map((row) => row.split(','));
  const columns = head.map(unquoted);
  columns.push(...BOARDING.filter((column) => !columns.includes(column)));
  const [trip, stop, ...boarding] = ['trip_id', 'stop_id', ...BOARDING].map((column) =>
    columns.indexOf(column),
  );
  const isOffMap = (row: readonly string[]) => {
    const { lon, lat } = stops.get(unquoted(row[stop])) ?? { lon: Number.NaN, lat: Number.NaN };
    return box !== null && !boxContains(box, lon, lat);
  };
  const kept = rows
    .filter((row) => trips.has(unquoted(row[trip])))
    .map((row) => {
      const fields = columns.map((_, at) => row[at] ?? '');
      if (isOffMap(row)) for (const at of boarding) fields[at] = NOT_POSSIBLE;
      return fields;
    });
  writeFileSync(file, [columns, ...kept].map((fields) => `${fields.join(',')}\n`).join(''));
}

function unquoted(field: string): string {
  return field.trim().replaceAll('"', '');
}
