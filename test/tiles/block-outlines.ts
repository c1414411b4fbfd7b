import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Outlines, readOutlines } from '../../shards/fgb/outlines.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';

export interface CountyOutlines {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly outlines: Outlines;
}

/** The block polygons of every county of the release in a store folder. */
export async function outlinesOf(folder: string): Promise<CountyOutlines[]> {
  const store = new FolderStore(folder);
  const { manifest } = await releaseIn(store);
  await store.close();
  return Promise.all(
    Object.values(manifest.counties).map(async ({ objects }) => {
      const file = path.join(folder, objects.blocks.name);
      const bytes = await readFile(file);
      return { file, bytes, outlines: readOutlines(objects.blocks.name, bytes) };
    }),
  );
}
