import { readdirSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import type { BuildRequest } from '../../builder/build-request.ts';
import { keptFolder } from './kept-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Folder of the demo city's inputs; `demoStore` is that of the store with its release. Tests
     * must only read both.
     */
    demoCity: string;
    demoStore: string;
  }
}

/** The size and seed of the demo city that tests share. */
export const DEMO_CITY = { blocks: 600, seed: 7 };

/**
 * Provides one demo release for all test files: a copy of the release that is kept between runs.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-demo-'));
  const sources = ['infra/demo', path.relative('', import.meta.filename)];
  await cp(await keptFolder('demo-release', sources, buildInto), folder, { recursive: true });
  project.provide('demoCity', path.join(folder, 'city'));
  project.provide('demoStore', path.join(folder, 'store'));
  return () => rm(folder, { recursive: true, force: true });
}

/** The request of the demo release, whose inputs are in `city`. */
export function demoRequest(city: string): BuildRequest {
  const filesIn = (kind: string) =>
    readdirSync(path.join(city, kind)).map((file) => path.join(city, kind, file));
  return {
    osm: filesIn('osm'),
    blocks: filesIn('blocks'),
    gtfs: filesIn('gtfs'),
    places: filesIn('places'),
    weights: filesIn('weights'),
    addresses: [...filesIn('addresses'), ...filesIn('osm')],
    counties: [],
    release: 'demo',
  };
}

async function buildInto(folder: string): Promise<void> {
  // Imported on demand, since most runs do not need the builder.
  const [
    { buildRelease },
    { publishExports },
    { silent },
    { writeDemoCity },
    { FolderStore },
    { releaseIn },
  ] = await Promise.all([
    import('../../builder/build.ts'),
    import('../../builder/export/publish-exports.ts'),
    import('../../builder/progress.ts'),
    import('../../infra/demo/write-demo-city.ts'),
    import('../../shards/store/folder-store.ts'),
    import('./release-in.ts'),
  ]);
  const city = path.join(folder, 'city');
  await writeDemoCity({ ...DEMO_CITY, out: city }, silent);
  const store = new FolderStore(path.join(folder, 'store'));
  await buildRelease(demoRequest(city), store, silent);
  const types = { tables: ['types'], counties: [], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), types, store, silent);
  await store.close();
}
