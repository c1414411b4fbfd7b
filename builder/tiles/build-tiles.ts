import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import type { Mode } from '../../shards/modes.ts';
import { pageSumsOf } from '../../shards/pmtiles/checked-pages.ts';
import { type ArchiveFacts, PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import { type TileArchive, tileArchiveSchema } from '../../shards/release/manifest.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { inOrder } from '../threads/pool.ts';
import { BAND_LAYER } from './band-tiles.ts';
import { BLOCK_LAYER, MIN_BLOCK_ZOOM } from './block-tiles.ts';
import { MAX_TILE_ZOOM } from './fit-to-zoom.ts';
import {
  bandArchives,
  HEAD_NUMBERS,
  type PieceOfTiles,
  type TilePiece,
  type TilesRequest,
} from './tile-drawer.ts';
import { openTilePool } from './tile-pool.ts';
import { MIN_TILE_ZOOM, pyramidsOf, type TilePyramid } from './tile-pyramids.ts';

/** Increment when the same objects produce different tiles. */
const TILES_VERSION = 2;

const receiptSchema = z.record(z.string(), tileArchiveSchema);

/** The tile archives of a release, drawn unless they were already drawn from the same objects. */
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

/** Number of archives for which a thread draws a pyramid's tiles in one go. */
const ARCHIVES_A_PIECE = 12;

/** The attribution required on a map with these tiles. */
const ATTRIBUTION =
  '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>, U.S. Census Bureau';

/**
 * Draws the release's archives and puts them into the store: `<mode>-<dest_type_id>` for each mode
 * and leaf type, and `blocks`. Returns their manifest entries. Proceeds pyramid by pyramid, which
 * bounds memory; any number of threads draw a pyramid's tiles. `scratch`: a folder for scratch
 * files.
 */
export async function buildTiles(
  request: TilesRequest,
  store: WritableStore,
  progress: Progress,
  { scratch, threads }: { readonly scratch: string; readonly threads: number },
): Promise<Record<string, TileArchive>> {
  const { leafIds } = new Taxonomy(request.taxonomy.types);
  const tiles = new ScratchFile(path.join(scratch, 'tiles'));
  const pool = openTilePool(request, store, threads);
  try {
    const writers = Array.from({ length: bandArchives(request) + 1 }, () => {
      return new PmtilesWriter(tiles);
    });
    const pieces = piecesOf(pyramidsOf(request.counties), writers.length);
    const stage = progress.start('tiles', pieces.length, 'tile parts');
    let done = 0;
    await inOrder(pool, pieces, (drawn) => {
      addTiles(writers, drawn);
      stage.at(++done);
    });
    const bounds = boundsOf(request);
    const refs: Record<string, TileArchive> = {
      blocks: await putArchive(store, 'blocks', writers.at(-1)!.finish(blockFacts(bounds))),
    };
    for (const [column, writer] of writers.slice(0, -1).entries()) {
      const mode = request.modes[Math.floor(column / leafIds.length)];
      const type = leafIds[column % leafIds.length];
      const facts = bandFacts(
        mode,
        request.taxonomy.types.find((t) => t.dest_type_id === type)!.name,
        bounds,
      );
      refs[`${mode}-${type}`] = await putArchive(store, `${mode}-${type}`, writer.finish(facts));
    }
    const all = writers.reduce((sum, writer) => sum + writer.tiles, 0);
    stage.finish(`${all} tiles in ${writers.length} archives`);
    return refs;
  } finally {
    await pool.close();
    tiles.close();
  }
}

function piecesOf(pyramids: readonly TilePyramid[], archives: number): TilePiece[] {
  const firsts = Array.from(
    { length: Math.ceil(archives / ARCHIVES_A_PIECE) },
    (_, i) => i * ARCHIVES_A_PIECE,
  );
  return pyramids.flatMap((pyramid) =>
    firsts.map((firstArchive) => ({
      pyramid,
      firstArchive,
      endArchive: Math.min(archives, firstArchive + ARCHIVES_A_PIECE),
    })),
  );
}

function addTiles(writers: readonly PmtilesWriter[], { heads, bytes }: PieceOfTiles): void {
  for (let head = 0, start = 0; head < heads.length; head += HEAD_NUMBERS) {
    const [archive, z, x, y, length] = heads.subarray(head, head + HEAD_NUMBERS);
    writers[archive].add({ z, x, y }, bytes.subarray(start, start + length));
    start += length;
  }
}

function boundsOf({ counties }: TilesRequest): BoundingBox {
  const boxes = Object.values(counties).map((county) => county.block_box);
  return {
    minLon: Math.min(...boxes.map(([west]) => west)),
    minLat: Math.min(...boxes.map(([, south]) => south)),
    maxLon: Math.max(...boxes.map(([, , east]) => east)),
    maxLat: Math.max(...boxes.map(([, , , north]) => north)),
  };
}

function bandFacts(mode: Mode, type: string, bounds: BoundingBox): ArchiveFacts {
  return {
    name: `${type}, ${mode}`,
    description: `Minutes by ${mode} to the nearest: ${type}.`,
    attribution: ATTRIBUTION,
    bounds,
    minZoom: MIN_TILE_ZOOM,
    maxZoom: MAX_TILE_ZOOM,
    layers: [BAND_LAYER],
  };
}

function blockFacts(bounds: BoundingBox): ArchiveFacts {
  return {
    name: 'Census blocks',
    description: BLOCK_LAYER.description,
    attribution: 'U.S. Census Bureau',
    bounds,
    minZoom: MIN_BLOCK_ZOOM,
    maxZoom: MAX_TILE_ZOOM,
    layers: [BLOCK_LAYER],
  };
}

async function putArchive(
  store: WritableStore,
  key: string,
  archive: PutBody,
): Promise<TileArchive> {
  return {
    archive: await putObject(store, `tiles/${key}`, 'pmtiles', archive),
    sums: await putObject(store, `tiles/${key}`, 'tta', await pageSumsOf(archive)),
  };
}
