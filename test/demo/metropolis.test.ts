import { expect, test } from 'vitest';
import { planCity } from '../../infra/demo/city-plan.ts';
import { gtfsTables } from '../../infra/demo/gtfs-tables.ts';
import { planMetropolisTransit } from '../../infra/demo/metropolis-transit.ts';
import { streetNames } from '../../infra/demo/names.ts';
import { stopsOf, type TransitLine } from '../../infra/demo/transit-plan.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';

const plan = planCity({ blocks: 20_000, seed: 1 });
const transit = planMetropolisTransit(plan, streetNames(plan));
const tables = Object.fromEntries(
  gtfsTables(plan, transit).map(({ file, columns, rows }) => {
    const records = Array.from(rows, (row) =>
      Object.fromEntries(columns.map((column, i) => [column, row[i]])),
    );
    return [file, records];
  }),
);

test('a metropolis has some 300 lines, over 5,000 stops and over 8,000 trips in a morning’s window', () => {
  expect(transit.lines.length).toBeGreaterThanOrEqual(300);
  expect(stopsOf(transit.lines).length).toBeGreaterThanOrEqual(5_000);
  // Trips that depart between an hour before the window opens, at eight, and an hour after it
  // closes.
  const trips = transit.lines.reduce((sum, line) => sum + 2 * departures(line, 7, 10), 0);
  expect(trips).toBeGreaterThan(8_000);
});

test('every stop has a unique id, and trips call at existing stops', () => {
  const ids = tables['stops.txt'].map(({ stop_id }) => stop_id);
  const known = new Set(ids);
  expect(known.size).toBe(ids.length);
  const called = new Set(tables['stop_times.txt'].map(({ stop_id }) => stop_id));
  expect([...called].filter((id) => !known.has(id))).toEqual([]);
  expect(called.size).toBe(stopsOf(transit.lines).length);
});

test('the buses of a street share its stops: a limited one serves a third, short turns overlap', () => {
  const [local, limited, north, south] = ['', 'L', 'N', 'S'].map(
    (suffix) => transit.lines.find(({ id }) => id === `SA50${suffix}`)!,
  );
  for (const direction of [0, 1]) {
    const [all, few, upper, lower] = [local, limited, north, south].map(
      (line) => line.directions[direction],
    );
    expect(few).toEqual(all.filter((stop) => few.includes(stop)));
    expect(few.length).toBe(Math.ceil(all.length / 3));
    expect(new Set([...upper, ...lower])).toEqual(new Set(all));
    expect(upper.length + lower.length).toBeGreaterThan(all.length);
  }
});

test('each underground station has four entrances within 20 m of its platforms', () => {
  const stops = tables['stops.txt'];
  const entrances = stops.filter(({ location_type }) => location_type === 2);
  const stations = new Map(stops.map((stop) => [stop.stop_id, stop]));
  const entered = new Map<unknown, number>();
  for (const { parent_station, stop_lon, stop_lat } of entrances) {
    const at = stations.get(parent_station)!;
    const [there, here] = [at, { stop_lon, stop_lat }].map((p): [number, number] => [
      Number(p.stop_lon),
      Number(p.stop_lat),
    ]);
    expect(localDistance(...there, ...here)).toBeLessThan(20);
    entered.set(parent_station, (entered.get(parent_station) ?? 0) + 1);
  }
  const underground = transit.lines.filter(({ kind }) => kind === 'subway');
  const platforms = stopsOf(underground).map(({ station }) => station);
  expect(new Set(entered.keys())).toEqual(new Set(platforms));
  expect(new Set(entered.values())).toEqual(new Set([4]));
});

/** Departures of a line from one of its ends between two hours of a working day. */
function departures({ weekday }: TransitLine, fromHour: number, toHour: number): number {
  let count = 0;
  for (const { from, until, headway } of weekday) {
    for (let at = from; at < until; at += headway) {
      if (at >= fromHour * 3600 && at < toHour * 3600) count++;
    }
  }
  return count;
}
