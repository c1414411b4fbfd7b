import { createHash } from 'node:crypto';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import { parseServiceTime, type ServiceSeconds } from './service-time.ts';
import { readTable } from './table.ts';

/** A stretch of the day in which a trip is repeated at a headway. */
export interface Frequency {
  readonly start: ServiceSeconds;
  readonly end: ServiceSeconds;
  readonly headway: ServiceSeconds;
  /** Whether departures are at `start` + k × headway to the second, or just that often. */
  readonly exact: boolean;
}

/** Reads `frequencies.txt`: the frequencies of each of these trips that has any. */
export async function readFrequencies(
  source: FeedSource,
  trips: ReadonlyMap<string, unknown>,
  report: FeedReport,
): Promise<Map<string, Frequency[]>> {
  const frequencies = new Map<string, Frequency[]>();
  const columns = ['trip_id', 'start_time', 'end_time', 'headway_secs'];
  await readTable(source, 'frequencies.txt', columns, (row) => {
    const start = parseServiceTime(row.text('start_time'));
    const end = parseServiceTime(row.text('end_time'));
    const headway = row.number('headway_secs');
    if (!isTime(start) || !isTime(end) || end <= start || !isHeadway(headway)) {
      return report.add('frequencies.txt', row.line, 'no valid times or headway; left out');
    }
    if (headway < FEED_LIMITS.minHeadway) {
      const { minHeadway } = FEED_LIMITS;
      return report.add('frequencies.txt', row.line, `headway under ${minHeadway} s; left out`);
    }
    const trip = row.text('trip_id');
    if (!trips.has(trip)) {
      return report.add('frequencies.txt', row.line, 'trip missing from trips.txt; left out');
    }
    const frequency = { start, end, headway, exact: row.text('exact_times') === '1' };
    const known = frequencies.get(trip);
    if (known) known.push(frequency);
    else frequencies.set(trip, [frequency]);
  });
  return frequencies;
}

function isTime(time: ServiceSeconds | null): time is ServiceSeconds {
  return time !== null && !Number.isNaN(time);
}

function isHeadway(headway: number | null): headway is ServiceSeconds {
  return headway !== null && headway > 0 && headway <= FEED_LIMITS.serviceTime;
}

/**
 * When a repeated trip leaves its first stop. Where only the headway is known, all that is known of
 * the first departure is that it lies within one headway of the start: which second it is, a hash
 * of the trip decides, so that lines do not all leave together and every build draws the same.
 */
export function departuresOf(trip: string, { start, end, headway, exact }: Frequency) {
  const departures: ServiceSeconds[] = [];
  const first = exact ? start : start + headwayPhase(trip, start, headway);
  for (let time = first; time < end; time += headway) departures.push(time);
  return departures;
}

/** How often a repeated trip runs, or once more. */
export function runsOf({ start, end, headway }: Frequency): number {
  return Math.ceil((end - start) / headway);
}

/** Seconds after `start`, 0 to `headway` − 1, of the first departure of a trip run by headway. */
export function headwayPhase(trip: string, start: ServiceSeconds, headway: ServiceSeconds): number {
  const digest = createHash('sha256').update(`${trip}\0${start}`).digest();
  return digest.readUInt32BE(0) % Math.max(1, Math.floor(headway));
}
