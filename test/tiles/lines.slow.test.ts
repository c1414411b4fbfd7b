import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { openDrawnRelease, tilePosition } from './drawn-release.ts';

const EXTENT = 4096;
const ZOOM = 14;
/** The tolerance of lines, two units of a tile, and twice the rounding of their points. */
const OFF = 4;

/** A table of a feed without quoted fields. */
function table(archive: string, file: string): Record<string, string>[] {
  const text = execFileSync('unzip', ['-p', archive, file], { maxBuffer: 1 << 28 }).toString();
  const [columns, ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

/** The legs between consecutive stops of trips that are under way from 8:00 to 9:00, by route. */
function legsOf(archive: string): { route: string; from: string; to: string }[] {
  const names = new Map(
    table(archive, 'routes.txt').map((row) => [row.route_id, row.route_short_name]),
  );
  const routes = new Map(
    table(archive, 'trips.txt').map((row) => [row.trip_id, names.get(row.route_id)!]),
  );
  const calls = table(archive, 'stop_times.txt');
  const legs = new Map<string, { route: string; from: string; to: string }>();
  for (const [i, call] of calls.entries()) {
    const next = calls[i + 1];
    if (next?.trip_id !== call.trip_id) continue;
    if (!/^0?8:/.test(call.departure_time)) continue;
    const leg = { route: routes.get(call.trip_id)!, from: call.stop_id, to: next.stop_id };
    legs.set(JSON.stringify(leg), leg);
  }
  return [...legs.values()];
}

test('every leg of the trips of the morning is on a line with the name of its route', async () => {
  const folder = path.join(inject('demoCity'), 'gtfs');
  const archive = path.join(folder, readdirSync(folder)[0]);
  const stops = new Map(
    table(archive, 'stops.txt').map((row) => [
      row.stop_id,
      tilePosition(Number(row.stop_lon), Number(row.stop_lat), ZOOM),
    ]),
  );
  const legs = legsOf(archive);
  expect(legs.length).toBeGreaterThanOrEqual(20);
  const city = await openDrawnRelease(inject('demoStore'));
  for (const { route, from, to } of legs) {
    const [[x1, y1], [x2, y2]] = [stops.get(from)!, stops.get(to)!];
    for (const share of [0, 0.3, 0.7, 1]) {
      const [x, y] = [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
      const tile = [Math.floor(x), Math.floor(y)] as const;
      const features = await city.features('lines', ZOOM, ...tile);
      const near = features
        .filter((feature) => distance(feature, (x % 1) * EXTENT, (y % 1) * EXTENT) <= OFF)
        .map(({ properties }) => properties.name);
      expect({ route, from, to, near }).toEqual({
        route,
        from,
        to,
        near: expect.arrayContaining([route]),
      });
    }
  }
  await city.close();
});

/** Distance of a point from the nearest segment of a feature, in units of a tile. */
function distance(
  feature: { loadGeometry(): { x: number; y: number }[][] },
  x: number,
  y: number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of feature.loadGeometry()) {
    for (const [i, b] of line.entries()) {
      if (i === 0) continue;
      const a = line[i - 1];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const along = ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy);
      const at = Math.min(1, Math.max(0, along));
      least = Math.min(least, Math.hypot(x - a.x - at * dx, y - a.y - at * dy));
    }
  }
  return least;
}
