import { createHash } from 'node:crypto';
import { decimalOf } from '../inputs/decimal.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import type { ServiceSeconds } from './service-time.ts';
import { readTable } from './table.ts';
import { codeOf, parseServiceTime } from './values.ts';

/** A period of the day in which a trip is repeated at a headway. */
export interface Frequency {
  readonly start: ServiceSeconds;
  readonly end: ServiceSeconds;
  readonly headway: ServiceSeconds;
  /**
   * Whether departures are at exactly `start` + k × `headway`; otherwise they are only that
   * frequent.
   */
  readonly exact: boolean;
}

/** GTFS `exact_times`. */
const EXACT = '1';
const EXACT_TIMES = new Set(['', '0', EXACT]);

/**
 * Reads `frequencies.txt`. Returns frequencies by trip id: none for a trip whose rows cannot be
 * used, which never runs, since a trip with rows has no times of its own; trips without rows are
 * absent.
 */
export async function readFrequencies(
  source: FeedSource,
  trips: ReadonlyMap<string, { readonly line: number }>,
  report: FeedReport,
): Promise<Map<string, Frequency[]>> {
  const frequencies = new Map<string, Frequency[]>();
  const starts = new Set<string>();
  const columns = ['trip_id', 'start_time', 'end_time', 'headway_secs'];
  await readTable(source, report, 'frequencies.txt', columns, (row) => {
    const trip = row.text('trip_id');
    if (!trips.has(trip)) {
      return report.add('frequencies.txt', row.line, 'trip missing from trips.txt; left out');
    }
    const known = frequencies.get(trip) ?? [];
    frequencies.set(trip, known);
    const frequency = frequencyIn((column) => row.text(column));
    if (frequency === null) {
      return report.add('frequencies.txt', row.line, 'no valid times or headway; left out');
    }
    const { start } = frequency;
    if (frequency.headway < FEED_LIMITS.minHeadway) {
      const { minHeadway } = FEED_LIMITS;
      return report.add('frequencies.txt', row.line, `headway under ${minHeadway} s; left out`);
    }
    if (!EXACT_TIMES.has(codeOf(row.text('exact_times')))) {
      report.add('frequencies.txt', row.line, 'unknown exact_times; taken as 0, only the headway');
    }
    if (starts.has(`${start} ${trip}`)) {
      return report.add('frequencies.txt', row.line, 'duplicate start_time of a trip; left out');
    }
    starts.add(`${start} ${trip}`);
    known.push(frequency);
  });
  for (const [trip, { length }] of frequencies) {
    if (length > 0) continue;
    report.add('trips.txt', trips.get(trip)!.line, 'no usable row in frequencies.txt; left out');
  }
  return frequencies;
}

function isTime(time: ServiceSeconds | null): time is ServiceSeconds {
  return time !== null && !Number.isNaN(time);
}

/** Reads a period by the fields of its row; null without valid times or headway. */
export function frequencyIn(field: (column: string) => string): Frequency | null {
  const [start, end] = ['start_time', 'end_time'].map((one) => parseServiceTime(field(one)));
  const headway = decimalOf(field('headway_secs'));
  const isHeadway = headway > 0 && headway <= FEED_LIMITS.serviceTime;
  if (!isTime(start) || !isTime(end) || end <= start || !isHeadway) return null;
  return { start, end, headway, exact: codeOf(field('exact_times')) === EXACT };
}

/**
 * Returns the departures of a repeated trip from its first stop between two times. If only the
 * headway is known, the first departure of all is within one headway of the start, at a second that
 * a hash of the trip determines, so that lines do not all leave together and every build gets the
 * same result.
 */
export function departuresOf(
  trip: string,
  { start, end, headway, exact }: Frequency,
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
): ServiceSeconds[] {
  const departures: ServiceSeconds[] = [];
  const first = exact ? start : start + headwayPhase(trip, start, headway);
  for (let run = Math.max(0, Math.ceil((from - first) / headway)); ; run++) {
    const time = first + run * headway;
    if (time >= end || time > to) return departures;
    departures.push(time);
  }
}

/** Returns how often a repeated trip runs; the result may be one too high. */
export function runsOf({ start, end, headway }: Frequency): number {
  return Math.ceil((end - start) / headway);
}

/**
 * Returns the offset of the first departure of a headway-based trip from `start`, 0 to `headway` −
 * 1 seconds.
 */
export function headwayPhase(trip: string, start: ServiceSeconds, headway: ServiceSeconds): number {
  const digest = createHash('sha256').update(`${trip}\0${start}`).digest();
  return digest.readUInt32BE(0) % Math.max(1, Math.floor(headway));
}
