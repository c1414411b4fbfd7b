import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { drawTiles } from '../../builder/tiles/draw-tiles.ts';
import {
  joinArchives,
  readArchives,
  type TileArchives,
} from '../../builder/tiles/join-archives.ts';
import type { TilesRequest } from '../../builder/tiles/tile-drawer.ts';
import { tileWorkOf } from '../../builder/tiles/tile-work.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/** How tiles are drawn; `draw` may be that of compiled code, which threads need. */
interface Drawing {
  readonly scratch: string;
  readonly threads?: number;
  readonly draw?: typeof drawTiles;
}

/** Draws the tiles of all counties as one unit, and puts their archives into the store. */
export async function drawRelease(
  request: TilesRequest,
  store: WritableStore,
  { scratch, threads = 1, draw = drawTiles }: Drawing,
): Promise<TileArchives> {
  const work = tileWorkOf(request, [Object.keys(request.counties)]);
  const receipts = new Receipts(store);
  const context = { store, receipts, progress: silent, scratch, threads };
  await draw(work, 0, context);
  for (const group of work.groups.keys()) await joinArchives(work, group, context);
  return (await readArchives(work, receipts))!;
}
