import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type TileArchive, tileArchiveSchema } from '../../shards/manifest.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { buildTiles } from './build-tiles.ts';
import type { TilesRequest } from './tile-drawer.ts';

/** Change it when the same objects come to give other tiles. */
const TILES_VERSION = 1;

const receiptSchema = z.record(z.string(), tileArchiveSchema);

/** The tile archives of a release, drawn unless they were drawn of the same objects before. */
export async function drawTiles(
  request: TilesRequest,
  context: {
    readonly store: WritableStore;
    readonly receipts: Receipts;
    readonly progress: Progress;
    readonly scratch: string;
    readonly threads: number;
  },
): Promise<Record<string, TileArchive>> {
  const { store, receipts, progress } = context;
  const drawnOf = Object.entries(request.counties).map(([county, { objects }]) => [
    county,
    ...[objects.index, objects.nearest, objects.blocks].map(({ sha256 }) => sha256),
  ]);
  const what = JSON.stringify([TILES_VERSION, request.modes, request.taxonomy, drawnOf]);
  const key = createHash('sha256').update(what).digest('hex');
  const kept = await receipts.find('tiles', key, receiptSchema);
  if (kept) return kept;
  const drawn = await buildTiles(request, store, progress, context);
  await receipts.keep('tiles', key, drawn);
  return drawn;
}
