import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readFeed } from '../../../builder/gtfs/feed.ts';
import type { ServiceDate } from '../../../builder/gtfs/service-time.ts';
import { ensureDebianPackage } from '../../support/debian.ts';

const run = promisify(execFile);

/**
 * Copies feeds so that the service of each feed's day runs on one `date`, YYYY-MM-DD, and on no
 * other. Engines limited to one date then read the same trips. `days` has the day on which each
 * feed is read, in the order of `feeds`.
 */
export async function oneDayFeeds(
  feeds: readonly string[],
  days: readonly ServiceDate[],
  date: string,
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
      dropOrphans(files);
      const lines = ['service_id,date,exception_type', ...rows];
      writeFileSync(path.join(files, 'calendar_dates.txt'), `${lines.join('\n')}\n`);
      await run('zip', ['-q', '-r', '-j', copy, files]);
      return copy;
    }),
  );
}

/** Leaves out calls of trips that the feed does not have, which OpenTripPlanner refuses. */
function dropOrphans(folder: string): void {
  const read = (file: string) => {
    const [head, ...rows] = readFileSync(path.join(folder, file), 'utf8').split(/\r?\n/);
    const column = head.replace('\uFEFF', '').split(',').map(unquoted).indexOf('trip_id');
    // Fields before the id have no commas in any of these feeds.
    return { head, rows, tripOf: (row: string) => unquoted(row.split(',')[column] ?? '') };
  };
  const trips = read('trips.txt');
  const known = new Set(trips.rows.map(trips.tripOf));
  const { head, rows, tripOf } = read('stop_times.txt');
  const kept = rows.filter((row) => known.has(tripOf(row)));
  if (kept.length < rows.length) {
    writeFileSync(path.join(folder, 'stop_times.txt'), `${[head, ...kept].join('\n')}\n`);
  }
}

function unquoted(field: string): string {
  return field.trim().replaceAll('"', '');
}
