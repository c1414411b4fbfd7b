import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import type { DepartureWindow } from '../../shards/services.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { DEMO_CITY, demoRequest } from './demo-release.setup.ts';
import { keptFolder } from './kept-folder.ts';
import { plainGridCorner } from './plain-grid-oracle.ts';

/** The window of departures besides that of every release. */
export const SATURDAY: DepartureWindow = {
  name: 'saturday',
  opens: 11 * 60,
  departures: 60,
  day: 'saturday',
};
/** The corner of the plain grid with the library that only the later release has. */
const NEW_LIBRARY = { column: 0, row: 8 } as const;

/**
 * Returns the folder of a store with two releases of the demo city in `city`, with tiles, and
 * Saturdays at the 10th percentile and the median: `before`, and then `after`, which has a library
 * more. Tests must only read it.
 */
export function windowedDemo(city: string): Promise<string> {
  return keptFolder(
    'windowed-demo',
    ['infra/demo', path.relative('', import.meta.filename)],
    (to) => buildInto(to, city),
  );
}

async function buildInto(folder: string, city: string): Promise<void> {
  const store = new FolderStore(folder);
  const windows = { windows: [SATURDAY], percentiles: { saturday: [50] } };
  const request = { ...demoRequest(city), ...windows };
  await buildRelease({ ...request, release: 'before' }, store, silent);
  const own = path.join(folder, 'inputs');
  await mkdir(own);
  const library = path.join(own, 'library.geojson');
  const { column, row } = NEW_LIBRARY;
  const feature = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: plainGridCorner(planCity(DEMO_CITY), column, row) },
    properties: { id: 'library', name: 'New Library', type: 'libraries' },
  };
  await writeFile(library, JSON.stringify(feature));
  await buildRelease({ ...request, pois: [library], release: 'after' }, store, silent);
  await store.close();
}
