import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { buildRelease } from '../../builder/build.ts';
import { ZipInput } from '../../builder/inputs/zip.ts';
import { writeZip, type ZipPart } from '../../builder/inputs/zip-writer.ts';
import { silent } from '../../builder/progress.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { DEMO_CITY, demoRequest } from './demo-release.setup.ts';
import { keptFolder } from './kept-folder.ts';
import { plainGridCorner } from './plain-grid-oracle.ts';

/** The corner of the plain grid with a cinema that only the earlier release has. */
export const CLOSED_CINEMA = { column: 0, row: 8 } as const;

/**
 * Returns the folder of a store with two releases of the demo city in `city`: `before`, and then
 * `after`, in which a cinema is closed and the bus line with the most trips does not run. Tests
 * must only read it.
 */
export function changedDemo(city: string): Promise<string> {
  return keptFolder('changed-demo', ['infra/demo', path.relative('', import.meta.filename)], (to) =>
    buildInto(to, city),
  );
}

async function buildInto(folder: string, city: string): Promise<void> {
  const own = path.join(folder, 'inputs');
  await mkdir(own);
  const store = new FolderStore(folder);
  const request = { ...demoRequest(city), tiles: false };
  const cinema = path.join(own, 'cinema.geojson');
  const { column, row } = CLOSED_CINEMA;
  const feature = {
    type: 'Feature',
    geometry: {
      type: 'Point',
      coordinates: plainGridCorner(planCity(DEMO_CITY), column, row),
    },
    properties: { id: 'cinema', name: 'Second Screen', type: 'cinemas' },
  };
  await writeFile(cinema, JSON.stringify(feature));
  await buildRelease({ ...request, pois: [cinema], release: 'before' }, store, silent);
  const fewer = path.join(own, 'gtfs');
  await mkdir(fewer);
  const feeds = readdirSync(path.join(city, 'gtfs'));
  const gtfs = await Promise.all(
    feeds.map((name) => withoutBusiestLine(path.join(city, 'gtfs', name), path.join(fewer, name))),
  );
  await buildRelease({ ...request, gtfs, release: 'after' }, store, silent);
  await store.close();
}

/** Copies a feed without the trips of the route that has most; returns the copy. */
async function withoutBusiestLine(feed: string, copy: string): Promise<string> {
  const zip = await ZipInput.open(feed, ['.txt']);
  const tables = new Map<string, string>();
  for (const name of zip.names) tables.set(name, (await buffer(zip.stream(name))).toString());
  zip.close();
  const [head, ...trips] = tables.get('trips.txt')!.trimEnd().split(/\r?\n/);
  const [route, trip] = ['route_id', 'trip_id'].map((name) => head.split(',').indexOf(name));
  const count = new Map<string, number>();
  for (const line of trips) {
    const id = line.split(',')[route];
    count.set(id, (count.get(id) ?? 0) + 1);
  }
  const [[busiest]] = [...count].sort(([, a], [, b]) => b - a);
  const gone = trips.filter((line) => line.split(',')[route] === busiest);
  const ids = new Set(gone.map((line) => line.split(',')[trip]));
  const kept = (table: string) => {
    const [first, ...lines] = table.trimEnd().split(/\r?\n/);
    const column = first.split(',').indexOf('trip_id');
    if (column === -1) return table;
    return `${[first, ...lines.filter((line) => !ids.has(line.split(',')[column]))].join('\r\n')}\r\n`;
  };
  const parts: ZipPart[] = [...tables].map(([name, table]) => ({
    name,
    chunks: () => [Buffer.from(kept(table))],
  }));
  await writeZip(copy, parts);
  return copy;
}
