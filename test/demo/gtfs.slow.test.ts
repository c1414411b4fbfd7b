import { beforeAll, describe, expect, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { cityOfTests, output } from './written-city.ts';

type Row = Readonly<Record<string, string>>;

const city = cityOfTests(2_000, 7);
let feed: Readonly<Record<string, readonly Row[]>>;

beforeAll(async () => {
  await ensureDebianPackage('unzip', 'unzip');
  const names = (await output('unzip', '-Z1', city.files.gtfs)).trim().split('\n');
  const tables = names.map(async (name) => {
    const text = await output('unzip', '-p', city.files.gtfs, name);
    return [name.replace('.txt', ''), rows(text)] as const;
  });
  feed = Object.fromEntries(await Promise.all(tables));
});

describe('the timetable of the demo city', () => {
  test.each([
    ['routes', 'agency_id', 'agency', 'agency_id'],
    ['trips', 'route_id', 'routes', 'route_id'],
    ['trips', 'service_id', 'calendar', 'service_id'],
    ['stop_times', 'trip_id', 'trips', 'trip_id'],
    ['stop_times', 'stop_id', 'stops', 'stop_id'],
    ['stops', 'parent_station', 'stops', 'stop_id'],
    ['frequencies', 'trip_id', 'trips', 'trip_id'],
    ['calendar_dates', 'service_id', 'calendar', 'service_id'],
  ])('every %s.%s exists in %s', (table, field, target, id) => {
    const known = feed[target].map((row) => row[id]);
    const used = feed[table].map((row) => row[field]).filter((value) => value !== '');
    expect(used.length).toBeGreaterThan(0);
    expect([...new Set(used)].filter((value) => !known.includes(value))).toEqual([]);
  });

  test.each([
    ['stops', 'stop_id'],
    ['trips', 'trip_id'],
    ['routes', 'route_id'],
  ])('%s have unique %ss', (table, id) => {
    expect(new Set(feed[table].map((row) => row[id])).size).toBe(feed[table].length);
  });

  test('has two buses, and a railway whose platforms belong to stations', () => {
    expect(feed.routes.map((route) => route.route_type)).toEqual(['3', '3', '2']);
    const stations = feed.stops.filter((stop) => stop.location_type === '1');
    const platforms = feed.stops.filter((stop) => stop.parent_station !== '');
    expect(stations.length).toBeGreaterThan(2);
    expect(platforms).toHaveLength(2 * stations.length);
  });

  test('times increase along every trip, blanks lie between timed stops, some are past midnight', () => {
    const trips = grouped(feed.stop_times);
    let blanks = 0;
    let pastMidnight = 0;
    for (const stopTimes of trips.values()) {
      expect(stopTimes.map((row) => Number(row.stop_sequence))).toEqual(
        stopTimes.map((_, i) => i + 1),
      );
      expect(stopTimes[0].departure_time).not.toBe('');
      expect(stopTimes.at(-1)!.arrival_time).not.toBe('');
      const timed = stopTimes
        .filter((row) => row.departure_time !== '')
        .map((r) => seconds(r.departure_time));
      expect(timed.every((time, i) => i === 0 || time > timed[i - 1])).toBe(true);
      blanks += stopTimes.length - timed.length;
      if (timed.some((time) => time > 86_400)) pastMidnight++;
    }
    expect(blanks).toBeGreaterThan(0);
    expect(pastMidnight).toBeGreaterThan(0);
  });

  test('every ride from one stop to the next takes a minute and a half by bus, two by train', () => {
    for (const [route, hop] of [
      ['X1', 90],
      ['B2', 90],
      ['M', 120],
    ] as const) {
      const trips = new Set(feed.trips.filter((t) => t.route_id === route).map((t) => t.trip_id));
      const first = new Map<string, number>();
      for (const { trip_id, departure_time, stop_sequence } of feed.stop_times) {
        if (!trips.has(trip_id) || departure_time === '') continue;
        if (stop_sequence === '1') first.set(trip_id, seconds(departure_time));
        const ridden = seconds(departure_time) - first.get(trip_id)!;
        expect(ridden).toBe(hop * (Number(stop_sequence) - 1));
      }
    }
  });

  test.each([
    ['X1', 600],
    ['M', 720],
  ])('line %s leaves every %i seconds of a working day, in both directions', (route, headway) => {
    for (const direction of ['0', '1']) {
      const trips = feed.trips
        .filter(
          (t) => t.route_id === route && t.direction_id === direction && t.service_id === 'WEEKDAY',
        )
        .map((t) => t.trip_id);
      const departures = feed.stop_times
        .filter((row) => row.stop_sequence === '1' && trips.includes(row.trip_id))
        .map((row) => seconds(row.departure_time))
        .sort((a, b) => a - b);
      expect(departures.length).toBeGreaterThan(50);
      expect(departures.every((time, i) => i === 0 || time - departures[i - 1] === headway)).toBe(
        true,
      );
    }
  });

  test('the bridge bus runs by headway: every 10 minutes in the peak, every 15 later', () => {
    const trip = feed.trips.find((t) => t.route_id === 'B2' && t.service_id === 'WEEKDAY')!;
    const bands = feed.frequencies
      .filter((row) => row.trip_id === trip.trip_id)
      .map((row) => [row.start_time, row.end_time, row.headway_secs]);
    expect(bands).toEqual([
      ['06:00:00', '09:30:00', '600'],
      ['09:30:00', '24:00:00', '900'],
    ]);
  });
});

/** Reads a table without quoted values; the test fails if one appears. */
function rows(text: string): Row[] {
  expect(text).not.toContain('"');
  const [head, ...lines] = text.trimEnd().split('\r\n');
  const columns = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    expect(cells).toHaveLength(columns.length);
    return Object.fromEntries(columns.map((column, i) => [column, cells[i]]));
  });
}

function grouped(stopTimes: readonly Row[]): Map<string, Row[]> {
  const trips = new Map<string, Row[]>();
  for (const row of stopTimes) trips.set(row.trip_id, [...(trips.get(row.trip_id) ?? []), row]);
  return trips;
}

function seconds(clock: string): number {
  const [h, m, s] = clock.split(':').map(Number);
  return h * 3_600 + m * 60 + s;
}
