import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the demo city's inputs, and of the store with its release. Read, never write. */
    demoCity: string;
    demoStore: string;
  }
}

/** The size and seed of the demo city that tests share. */
export const DEMO_CITY = { blocks: 600, seed: 7 };

/** The inputs that determine the release. */
const SOURCES = ['builder', 'shards', 'infra/demo'];
// Relative, so that copies of the project share a release.
const OTHER_SOURCES = ['package-lock.json', path.relative('', import.meta.filename)];
const KEPT = 4;
const CACHE = path.resolve('node_modules/.cache/demo-release');

/**
 * Provides one demo release for all test files: a copy of the previous run's, as long as the
 * programs that built it are identical.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-demo-'));
  const kept = path.join(CACHE, await digestOfSources());
  if (existsSync(kept)) await cp(kept, folder, { recursive: true });
  else {
    await buildInto(folder);
    await keep(folder, kept);
  }
  project.provide('demoCity', path.join(folder, 'city'));
  project.provide('demoStore', path.join(folder, 'store'));
  return () => rm(folder, { recursive: true, force: true });
}

async function buildInto(folder: string): Promise<void> {
  // Most runs do not need the builder.
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
  const city = await writeDemoCity({ ...DEMO_CITY, out: path.join(folder, 'city') }, silent);
  const store = new FolderStore(path.join(folder, 'store'));
  await buildRelease(
    {
      osm: [city.osm],
      blocks: city.blocks,
      gtfs: [city.gtfs],
      places: [city.places],
      weights: city.weights,
      counties: [],
      release: 'demo',
    },
    store,
    silent,
  );
  const types = { tables: ['types'], counties: [], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), types, store, silent);
  await store.close();
}

/** Keeps a copy of a folder, created atomically, along with the last few. */
async function keep(folder: string, kept: string): Promise<void> {
  const copy = `${kept}.${process.pid}`;
  await cp(folder, copy, { recursive: true });
  // Another run may have been first.
  await rename(copy, kept).catch(() => rm(copy, { recursive: true }));
  const all = (await readdir(CACHE)).map((name) => path.join(CACHE, name));
  const newestFirst = all.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of newestFirst.slice(KEPT)) await rm(old, { recursive: true, force: true });
}

async function digestOfSources(): Promise<string> {
  const files = await Promise.all(
    SOURCES.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((e) => path.join(e.parentPath, e.name));
    }),
  );
  const digest = createHash('sha256').update(process.version);
  for (const file of [...files.flat().sort(), ...OTHER_SOURCES]) {
    digest.update(`\0${file}\0`).update(await readFile(file));
  }
  return digest.digest('hex');
}
