import path from 'node:path';
import { prepareBlocks } from '../../builder/prepare/prepare-blocks.ts';
import { BlockTables } from '../../builder/prepare/prepared-blocks.ts';
import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { type Region, type RegionInputs, readRegion } from '../../builder/region/read-region.ts';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';

/** Works with the blocks of some files, prepared in a store that is gone after. */
export function withBlocks<T>(
  paths: readonly string[],
  work: (blocks: BlockTables) => Promise<T>,
): Promise<T> {
  return inScratchFolder(undefined, async (scratch) => {
    const store = new FolderStore(path.join(scratch, 'store'));
    try {
      const receipts = new Receipts(store);
      const prepared = await prepareBlocks({
        ...{ paths, madeOf: 'files', store, receipts, scratch, progress: silent },
      });
      return await work(new BlockTables(store, prepared));
    } finally {
      await store.close();
    }
  });
}

/** Reads a region of files; of all their counties, if none is named. */
export function readFiles({
  blocks: paths,
  counties,
  ...files
}: Omit<RegionInputs, 'blocks'> & { blocks: readonly string[] }): Promise<Region> {
  return withBlocks(paths, (blocks) => {
    const own = counties.length > 0 ? counties : blocks.counties;
    return readRegion({ ...files, blocks, counties: own }, silent);
  });
}
