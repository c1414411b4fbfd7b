import { execFileSync } from 'node:child_process';
import type { Run } from './time-expanded.ts';

/** A stop of a feed, at its position in the file. */
export interface PlainStop {
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
}

/** A feed on a day, with the running services given by the caller. */
export interface PlainFeed {
  readonly stops: readonly PlainStop[];
  /** Stops by their index in `stops`. */
  readonly runs: readonly Run[];
}

/**
 * Reads a feed archive in the simplest way: whole, in memory, and with only the features that
 * Baltimore's feeds use. The few blank times are filled in evenly, within seconds of their values.
 */
export function plainFeed(archive: string, services: readonly string[]): PlainFeed {
  const table = (file: string) => {
    const text = execFileSync('unzip', ['-p', archive, file], { maxBuffer: 1 << 28 }).toString();
    const [header, ...lines] = text.replace('\uFEFF', '').trim().split(/\r?\n/).map(fields);
    return lines.map((line) => new Map(header.map((name, i) => [name, line[i] ?? ''])));
  };
  const stops = table('stops.txt').map((row) => {
    return {
      id: row.get('stop_id')!,
      lon: Number(row.get('stop_lon')),
      lat: Number(row.get('stop_lat')),
    };
  });
  const stopOf = new Map(stops.map(({ id }, i) => [id, i]));
  const running = table('trips.txt').filter((row) => services.includes(row.get('service_id')!));
  const calls = new Map(running.map((row) => [row.get('trip_id')!, [] as Map<string, string>[]]));
  for (const row of table('stop_times.txt')) calls.get(row.get('trip_id')!)?.push(row);
  const runs = [...calls.values()].map((rows): Run => {
    rows.sort((a, b) => Number(a.get('stop_sequence')) - Number(b.get('stop_sequence')));
    const arrives = evenly(rows.map((row) => millis(row.get('arrival_time')!)));
    const departs = evenly(rows.map((row) => millis(row.get('departure_time')!)));
    return rows.map((row, i) => ({
      stop: stopOf.get(row.get('stop_id')!)!,
      arrives: arrives[i],
      departs: departs[i],
      mayBoard: row.get('pickup_type') !== '1',
      mayAlight: row.get('drop_off_type') !== '1',
    }));
  });
  return { stops, runs };
}

/** Fields of a line; no field of these feeds contains a line end or a quotation mark. */
function fields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(
    ([, quoted, bare]) => quoted ?? bare,
  );
}

function millis(time: string): number | null {
  if (time.trim() === '') return null;
  const [hours, minutes, seconds] = time.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** Gives each blank its even share of the time between its neighbours, to the second. */
function evenly(times: readonly (number | null)[]): number[] {
  return times.map((time, i) => {
    if (time !== null) return time;
    const before = times.findLastIndex((known, at) => at < i && known !== null);
    const after = times.findIndex((known, at) => at > i && known !== null);
    const share = (i - before) / (after - before);
    return Math.round((times[before]! * (1 - share) + times[after]! * share) / 1000) * 1000;
  });
}
