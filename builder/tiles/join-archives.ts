import path from 'node:path';
import { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { boxAroundBoth, boxWithin } from '../../shards/geometry/wgs84.ts';
import { byMode } from '../../shards/modes.ts';
import { type ArchiveFacts, PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import { type TileArchive, tileArchiveSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { MAX_MAP_ZOOM, MIN_MAP_ZOOM } from '../base-map/map-kind.ts';
import { lost } from '../errors.ts';
import { putArchive } from '../publish/put-object.ts';
import type { ReceiptOf, Receipts } from '../receipts/receipts.ts';
import { MIN_LINE_ZOOM } from '../transit/route-lines.ts';
import { BAND_LAYER } from './band-tiles.ts';
import { BASE_MAP_LAYERS, LINE_LAYER } from './base-map-tiles.ts';
import { BLOCK_LAYER, MIN_BLOCK_ZOOM } from './block-tiles.ts';
import { piecesIn, tilesReceipt } from './draw-tiles.ts';
import { MAX_TILE_ZOOM } from './fit-to-zoom.ts';
import { type TransitLines, withSurroundings } from './map-sources.ts';
import { POI_LAYER } from './poi-tiles.ts';
import { archiveNumbers, HEAD_NUMBERS } from './tile-drawer.ts';
import { MIN_TILE_ZOOM } from './tile-pyramids.ts';
import type { TileWork } from './tile-work.ts';

/** Increment when the same tiles give different archives. */
const ARCHIVES_VERSION = 1;

const receiptSchema = z.record(z.string(), tileArchiveSchema);
export type TileArchives = Readonly<Record<string, TileArchive>>;

const ATTRIBUTION =
  '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>, U.S. Census Bureau';

/** The receipt of a group of archives, whose key follows from what its tiles are drawn from. */
function archivesReceipt(work: TileWork, group: number): ReceiptOf<typeof receiptSchema> {
  const drawnFrom = work.units.map((unit) => unit.drawnFrom);
  const what = [ARCHIVES_VERSION, drawnFrom, archivesOf(work, group)];
  return [`archives-${group}`, hashOfJson(what), receiptSchema];
}

/** Whether all archives of a release are in the store, so that no tile need be drawn. */
export async function hasArchives(work: TileWork, receipts: Receipts): Promise<boolean> {
  for (const group of work.groups.keys()) {
    if (!(await receipts.find(...archivesReceipt(work, group)))) return false;
  }
  return true;
}

/** Reads the manifest entries of all archives; null if the receipt of a group is missing. */
export async function readArchives(
  work: TileWork,
  receipts: Receipts,
): Promise<TileArchives | null> {
  const all: Record<string, TileArchive> = {};
  for (const group of work.groups.keys()) {
    const own = await receipts.read(...archivesReceipt(work, group));
    if (own === null) return null;
    Object.assign(all, own);
  }
  // Manifests list the archives that are no measures first.
  const { blocks, basemap, lines, ...others } = all;
  return { blocks, ...(basemap && { basemap }), ...(lines && { lines }), ...others };
}

/**
 * Puts the archives of a group into the store, from the tiles that were drawn for all units:
 * `<mode>-<dest_type_id>` for each mode and leaf type, `blocks`, `pois-<dest_type_id>` for each
 * leaf type, `basemap`, and `lines`. The group's tiles of one unit are in memory at a time. Returns
 * the manifest entries. `scratch` is a folder for scratch files.
 */
export async function joinArchives(
  work: TileWork,
  group: number,
  { store, receipts, scratch }: { store: WritableStore; receipts: Receipts; scratch: string },
): Promise<TileArchives> {
  return receipts.findOrMake(...archivesReceipt(work, group), async () => {
    const archives = archivesOf(work, group);
    const tiles = new ScratchFile(path.join(scratch, 'tiles'));
    try {
      const writers = archives.map(() => new PmtilesWriter(tiles));
      for (const [unit, { counties }] of work.units.entries()) {
        const drawn = await receipts.read(...tilesReceipt(work, unit));
        if (drawn === null) throw lost(store, `the tiles of ${counties.join(', ')}`);
        const ref = drawn[group];
        if (ref === null) continue;
        addTiles(writers, work.groups[group].firstArchive, await readVerified(store, ref));
      }
      const refs: Record<string, TileArchive> = {};
      for (const [i, { key, facts }] of archives.entries()) {
        refs[key] = await putArchive(store, `tiles/${key}`, 'pmtiles', writers[i].finish(facts));
      }
      return refs;
    } finally {
      tiles.close();
    }
  });
}

/** Adds the tiles of a group of archives, the first of which has the number `first`. */
function addTiles(writers: readonly PmtilesWriter[], first: number, tiles: Uint8Array): void {
  for (const { heads, bytes } of piecesIn(tiles)) {
    for (let head = 0, start = 0; head < heads.length; head += HEAD_NUMBERS) {
      const [archive, z, x, y, length] = heads.subarray(head, head + HEAD_NUMBERS);
      writers[archive - first].add({ z, x, y }, bytes.subarray(start, start + length));
      start += length;
    }
  }
}

/** The names and the metadata of a group's archives, in the order of their numbers. */
function archivesOf(
  { request, groups }: TileWork,
  group: number,
): { readonly key: string; readonly facts: ArchiveFacts }[] {
  const { modes, taxonomy, counties, poiSources = [], lines } = request;
  const { leafIds } = new Taxonomy(taxonomy.types);
  const bounds = boundsOf(counties);
  const names = new Map(taxonomy.types.map(({ dest_type_id, name }) => [dest_type_id, name]));
  const numbers = archiveNumbers(request);
  const { firstArchive, endArchive } = groups[group];
  return Array.from({ length: endArchive - firstArchive }, (_, i) => {
    const number = firstArchive + i;
    if (number === numbers.blocks) return { key: 'blocks', facts: blockFacts(bounds) };
    if (number === numbers.baseMap) {
      return { key: 'basemap', facts: baseMapFacts(boundsOf(withSurroundings(counties))) };
    }
    if (number === numbers.lines) {
      return { key: 'lines', facts: lineFacts(lines!, boundsOf(withSurroundings(counties))) };
    }
    const isOfPois = number > numbers.blocks;
    const type = leafIds[(isOfPois ? number - numbers.firstOfPois : number) % leafIds.length];
    const name = names.get(type)!;
    if (isOfPois) return { key: `pois-${type}`, facts: poiFacts(name, poiSources, bounds) };
    const mode = modes[Math.floor(number / leafIds.length)];
    return { key: `${mode}-${type}`, facts: bandFacts(mode, name, bounds) };
  });
}

function boundsOf(counties: Parameters<typeof withSurroundings>[0]): BoundingBox {
  const boxes = Object.values(counties).map((county) => boxWithin(county.block_box));
  return boxes.reduce(boxAroundBoth);
}

function bandFacts(mode: string, type: string, bounds: BoundingBox): ArchiveFacts {
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

function lineFacts({ agencies }: TransitLines, bounds: BoundingBox): ArchiveFacts {
  return {
    name: 'Lines of transit',
    description: LINE_LAYER.description,
    attribution: agencies.join(', '),
    bounds,
    minZoom: MIN_LINE_ZOOM,
    maxZoom: MAX_TILE_ZOOM,
    layers: [LINE_LAYER],
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
