import { execFileSync } from 'node:child_process';

const DAY = 86_400;

/** The trips of a feed that are under way in a window, and all their calls. */
export interface PlainCount {
  readonly trips: number;
  readonly calls: number;
}

type Row = Readonly<Record<string, string>>;

/**
 * Counts the trips of a zipped feed that run between two times of a day, in seconds after midnight,
 * in the simplest way: each table in memory, each day of the week before on its own. Trips with
 * headways are counted as if they departed from the start of each period on.
 */
export function plainCount(archive: string, day: string, from: number, to: number): PlainCount {
  const table = (name: string): Row[] => {
    const names = execFileSync('unzip', ['-Z1', archive]).toString().split('\n');
    const file = names.find((one) => one === name || one.endsWith(`/${name}`));
    if (file === undefined || file.includes('__MACOSX')) return [];
    const text = execFileSync('unzip', ['-p', archive, file], { maxBuffer: 1 << 29 }).toString();
    const [header, ...records] = text.replace('\uFEFF', '').split(/\r?\n/).map(fieldsOf);
    return records
      .filter((fields) => fields.some((field) => field !== ''))
      .map((fields) => Object.fromEntries(header.map((column, i) => [column, fields[i] ?? ''])));
  };
  const weekly = table('calendar.txt');
  const dates = table('calendar_dates.txt');
  const runsOn = (date: string) => {
    const weekday = new Date(`${iso(date)}T00:00:00Z`).toLocaleDateString('en-US', {
      weekday: 'long',
      timeZone: 'UTC',
    });
    const running = new Set(
      weekly
        .filter((row) => row.start_date <= date && date <= row.end_date)
        .filter((row) => row[weekday.toLowerCase()] === '1')
        .map((row) => row.service_id),
    );
    for (const { service_id, exception_type } of dates.filter((row) => row.date === date)) {
      if (exception_type === '1') running.add(service_id);
      else running.delete(service_id);
    }
    return running;
  };
  const stops = new Set(table('stops.txt').map(({ stop_id }) => stop_id));
  const timesOf = new Map<string, Row[]>();
  for (const row of table('stop_times.txt')) {
    if (!stops.has(row.stop_id)) continue;
    const rows = timesOf.get(row.trip_id);
    if (rows) rows.push(row);
    else timesOf.set(row.trip_id, [row]);
  }
  const periods = table('frequencies.txt');
  const count = { trips: 0, calls: 0 };
  const services = Array.from({ length: 8 }, (_, before) => runsOn(daysBefore(day, before)));
  for (const { trip_id, service_id } of table('trips.txt')) {
    const rows = [...(timesOf.get(trip_id) ?? [])].sort(
      (a, b) => Number(a.stop_sequence) - Number(b.stop_sequence),
    );
    const timeOf = (row: Row) => secondsOf(row.departure_time || row.arrival_time);
    const timed = rows.filter((row) => timeOf(row) !== null);
    if (timed.length < 2) continue;
    const calls = rows.slice(rows.indexOf(timed[0]), rows.indexOf(timed.at(-1)!) + 1).length;
    const [first, last] = [timeOf(timed[0])!, timeOf(timed.at(-1)!)!];
    const ofTrip = periods.filter((row) => row.trip_id === trip_id);
    const departures = ofTrip.flatMap((row) => {
      const [start, end] = [secondsOf(row.start_time)!, secondsOf(row.end_time)!];
      const headway = Number(row.headway_secs);
      return Array.from({ length: Math.ceil((end - start) / headway) }, (_, i) => {
        return start + i * headway;
      });
    });
    for (const departs of ofTrip.length > 0 ? departures : [first]) {
      services.forEach((running, before) => {
        const [begins, ends] = [departs, departs + last - first].map((time) => time - before * DAY);
        if (!running.has(service_id) || begins > to || ends < from) return;
        count.trips++;
        count.calls += calls;
      });
    }
  }
  return count;
}

function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    (quoted ?? bare).trim(),
  );
}

function secondsOf(time: string): number | null {
  if (time === '') return null;
  const [hours, minutes, seconds] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

function iso(date: string): string {
  return `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
}

function daysBefore(date: string, days: number): string {
  const time = Date.parse(`${iso(date)}T00:00:00Z`) - days * DAY * 1000;
  return new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
}
