import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { byMode, type Mode } from '../../shards/modes.ts';
import { counted } from '../../shards/number-words.ts';
import { type ArchiveFacts, PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import { type TileArchive, tileArchiveSchema } from '../../shards/release/manifest.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { MAX_MAP_ZOOM, MIN_MAP_ZOOM } from '../base-map/map-kind.ts';
import type { Progress } from '../progress.ts';
import { putArchive } from '../publish/put-archive.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { inOrder } from '../threads/pool.ts';
import { BAND_LAYER } from './band-tiles.ts';
import { BASE_MAP_LAYERS } from './base-map-tiles.ts';
import { BLOCK_LAYER, MIN_BLOCK_ZOOM } from './block-tiles.ts';
import { MAX_TILE_ZOOM } from './fit-to-zoom.ts';
import { withSurroundings } from './map-sources.ts';
import { POI_LAYER } from './poi-tiles.ts';
import {
  bandArchives,
  HEAD_NUMBERS,
  type PieceOfTiles,
  pyramidsToDraw,
  type TilePiece,
  type TilesRequest,
} from './tile-drawer.ts';
import { openTilePool } from './tile-pool.ts';
import { MIN_TILE_ZOOM, type TilePyramid } from './tile-pyramids.ts';

/** Increment when the same objects produce different tiles. */
const TILES_VERSION = 4;

const receiptSchema = z.record(z.string(), tileArchiveSchema);

/**
 * Returns the tile archives of a release, which are drawn unless they already were from the same
 * objects.
 */
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
    ...[objects.index, objects.nearest, objects.blocks, objects.catchment].map(
      (object) => object?.sha256,
    ),
  ]);
  const { modes, taxonomy, poiSources, baseMap } = request;
  const what = JSON.stringify([TILES_VERSION, modes, taxonomy, drawnOf, poiSources, baseMap]);
  const key = createHash('sha256').update(what).digest('hex');
  const kept = await receipts.find('tiles', key, receiptSchema);
  if (kept) return kept;
  const drawn = await buildTiles(request, store, progress, context);
  await receipts.keep('tiles', key, drawn);
  return drawn;
}

const PMTILES = 'pmtiles';

/** Number of archives for which a thread draws a pyramid's tiles in one go. */
const ARCHIVES_PER_PIECE = 12;

/** The attribution required on a map with these tiles. */
const ATTRIBUTION =
  '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>, U.S. Census Bureau';

/**
 * Draws the release's archives and puts them into the store: `<mode>-<dest_type_id>` for each mode
 * and leaf type, `blocks`, `pois-<dest_type_id>` for each leaf type, and `basemap`. Returns their
 * manifest entries. Proceeds pyramid by pyramid, which bounds memory; any number of threads draw a
 * pyramid's tiles. `scratch` is a folder for scratch files.
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
    const bands = bandArchives(request);
    const baseMap = bands + 1 + leafIds.length;
    const writers = Array.from({ length: baseMap + (request.baseMap ? 1 : 0) }, () => {
      return new PmtilesWriter(tiles);
    });
    const pieces = piecesOf(pyramidsToDraw(request), baseMap, writers.length);
    const stage = progress.start('tiles', pieces.length, 'tile parts');
    let done = 0;
    await inOrder(pool, pieces, (drawn) => {
      addTiles(writers, drawn);
      stage.at(++done);
    });
    const bounds = boundsOf(request.counties);
    const refs: Record<string, TileArchive> = {
      blocks: await putArchive(
        store,
        'tiles/blocks',
        PMTILES,
        writers[bands].finish(blockFacts(bounds)),
      ),
    };
    if (request.baseMap) {
      const archive = writers[baseMap].finish(
        baseMapFacts(boundsOf(withSurroundings(request.counties))),
      );
      refs.basemap = await putArchive(store, 'tiles/basemap', PMTILES, archive);
    }
    const nameOf = (type: number) =>
      request.taxonomy.types.find((one) => one.dest_type_id === type)!.name;
    const put = async (key: string, writer: PmtilesWriter, facts: ArchiveFacts) => {
      refs[key] = await putArchive(store, `tiles/${key}`, PMTILES, writer.finish(facts));
    };
    for (const [column, writer] of writers.slice(0, bands).entries()) {
      const mode = request.modes[Math.floor(column / leafIds.length)];
      const type = leafIds[column % leafIds.length];
      await put(`${mode}-${type}`, writer, bandFacts(mode, nameOf(type), bounds));
    }
    for (const [i, type] of leafIds.entries()) {
      await put(
        `pois-${type}`,
        writers[bands + 1 + i],
        poiFacts(nameOf(type), request.poiSources ?? [], bounds),
      );
    }
    const all = writers.reduce((sum, writer) => sum + writer.tiles, 0);
    stage.finish(`${counted(all, 'tile')} in ${counted(writers.length, 'archive')}`);
    return refs;
  } finally {
    await pool.close();
    tiles.close();
  }
}

/**
 * Divides the tiles of pyramids into pieces. Each archive from `firstWhole` on is a piece by
 * itself.
 */
function piecesOf(
  pyramids: readonly TilePyramid[],
  firstWhole: number,
  archives: number,
): TilePiece[] {
  const ranges: [first: number, end: number][] = [];
  for (let first = 0; first < firstWhole; first += ARCHIVES_PER_PIECE) {
    ranges.push([first, Math.min(firstWhole, first + ARCHIVES_PER_PIECE)]);
  }
  for (let first = firstWhole; first < archives; first++) ranges.push([first, first + 1]);
  return pyramids.flatMap((pyramid) =>
    ranges.map(([firstArchive, endArchive]) => ({ pyramid, firstArchive, endArchive })),
  );
}

function addTiles(writers: readonly PmtilesWriter[], { heads, bytes }: PieceOfTiles): void {
  for (let head = 0, start = 0; head < heads.length; head += HEAD_NUMBERS) {
    const [archive, z, x, y, length] = heads.subarray(head, head + HEAD_NUMBERS);
    writers[archive].add({ z, x, y }, bytes.subarray(start, start + length));
    start += length;
  }
}

function boundsOf(counties: Parameters<typeof withSurroundings>[0]): BoundingBox {
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
    description: `Minutes ${byMode(mode)} to the nearest: ${type}.`,
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

function poiFacts(type: string, sources: readonly string[], bounds: BoundingBox): ArchiveFacts {
  return {
    name: type,
    description: POI_LAYER.description,
    attribution: [ATTRIBUTION, ...sources].join(', '),
    bounds,
    minZoom: MIN_BLOCK_ZOOM,
    maxZoom: MAX_TILE_ZOOM,
    layers: [POI_LAYER],
  };
}

function baseMapFacts(bounds: BoundingBox): ArchiveFacts {
  return {
    name: 'Base map',
    description:
      'Land, water, roads, boundaries and places, in the schema of Protomaps’ basemap 4.',
    attribution: ATTRIBUTION,
    bounds,
    minZoom: MIN_MAP_ZOOM,
    maxZoom: MAX_MAP_ZOOM,
    isBaseLayer: true,
    layers: BASE_MAP_LAYERS,
  };
}
