import { cp } from 'node:fs/promises';
import path from 'node:path';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM } from './baltimore.ts';
import { keptFolder } from './kept-folder.ts';

const SOURCES = ['test/data/baltimore', path.relative('', import.meta.filename)];

/** Builds the release of Baltimore, on foot and by bike, into a folder. */
async function buildBaltimore(folder: string, tiles: boolean): Promise<void> {
  const store = new FolderStore(folder);
  const inputs = {
    osm: [BALTIMORE_OSM],
    blocks: [BALTIMORE_BLOCKS],
    addresses: [BALTIMORE_OSM],
    counties: ['24510'],
  };
  await buildRelease({ ...inputs, release: 'test', tiles }, store, silent);
  await store.close();
}

/**
 * Folder of a store with the release of Baltimore, without tiles. Kept between runs, so tests must
 * only read it.
 */
export function baltimoreStore(): Promise<string> {
  return keptFolder('baltimore-release', SOURCES, (folder) => buildBaltimore(folder, false));
}

/** The same with tiles. */
export function drawnBaltimoreStore(): Promise<string> {
  return keptFolder('baltimore-drawn', SOURCES, async (folder) => {
    // All but the tiles is there already.
    await cp(await baltimoreStore(), folder, { recursive: true });
    await buildBaltimore(folder, true);
  });
}
