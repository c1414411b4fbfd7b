import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the demo city's inputs, and of the store with its release. Read, never write. */
    demoCity: string;
    demoStore: string;
  }
}

/** The size and seed of the demo city that tests share. */
export const DEMO_CITY = { blocks: 600, seed: 7 };

/** Builds one demo release for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-demo-'));
  const city = await writeDemoCity({ ...DEMO_CITY, out: path.join(folder, 'city') }, silent);
  const store = new FolderStore(path.join(folder, 'store'));
  await buildRelease(
    {
      osm: [city.osm],
      blocks: city.blocks,
      gtfs: [city.gtfs],
      places: [city.places],
      counties: [],
      release: 'demo',
    },
    store,
    silent,
  );
  await store.close();
  project.provide('demoCity', path.join(folder, 'city'));
  project.provide('demoStore', path.join(folder, 'store'));
  return () => rm(folder, { recursive: true, force: true });
}
