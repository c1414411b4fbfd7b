import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { breathe } from '../../shards/breathe.ts';
import type { Content } from '../../shards/content.ts';
import { EVERYBODY } from '../../shards/fair-queue.ts';
import type { CountyManifest, Manifest, TileArchive } from '../../shards/manifest.ts';
import type { Mode } from '../../shards/modes.ts';
import { pageSumsOf } from '../../shards/pmtiles/checked-pages.ts';
import { type ArchiveFacts, PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import { ScratchFile } from '../../shards/scratch-file.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import { BAND_LAYER, BandPainter } from './band-tiles.ts';
import { BLOCK_LAYER, drawBlocks, MIN_BLOCK_ZOOM } from './block-tiles.ts';
import type { TileRange } from './cut-into-tiles.ts';
import { fitToZoom, MAX_TILE_ZOOM } from './fit-to-zoom.ts';
import { openTileCounty } from './tile-county.ts';
import {
  MIN_TILE_ZOOM,
  type PyramidCounty,
  pyramidsOf,
  type TilePyramid,
  tilesAt,
  within,
} from './tile-pyramids.ts';

/** What tiles are drawn of: the counties' finished objects, which are in the store. */
export interface TilesRequest {
  readonly modes: readonly Mode[];
  readonly taxonomy: Manifest['taxonomy'];
  readonly counties: Readonly<Record<CountyFips, Pick<CountyManifest, 'block_box' | 'objects'>>>;
}

/** Who is to be named on a map drawn of these tiles. */
const ATTRIBUTION =
  '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>, U.S. Census Bureau';

/**
 * Draws the release's archives and puts them into the store: `<mode>-<dest_type_id>` for each mode
 * and leaf type, and `blocks`. Returns them as the manifest names them. Work and memory go pyramid
 * by pyramid; what all archives share, which is everything but the bands, is done once a pyramid.
 * `scratch`: a folder to write in.
 */
export async function buildTiles(
  request: TilesRequest,
  store: WritableStore,
  progress: Progress,
  scratch: string,
): Promise<Record<string, TileArchive>> {
  const { leafIds } = new Taxonomy(request.taxonomy.types);
  const pyramids = pyramidsOf(request.counties);
  const tiles = new ScratchFile(path.join(scratch, 'tiles'));
  try {
    const blocks = new PmtilesWriter(tiles);
    const bands = request.modes.flatMap(() => leafIds.map(() => new PmtilesWriter(tiles)));
    const zooms = pyramids.reduce((sum, { tile, lastZoom }) => sum + lastZoom + 1 - tile.z, 0);
    const stage = progress.start('tiles', zooms, 'zooms of pyramids');
    let done = 0;
    for (const pyramid of pyramids) {
      const counties = await openPyramid(pyramid, request, store, bands.length);
      for (let z = pyramid.tile.z; z <= pyramid.lastZoom; z++) {
        drawZoom(z, tilesAt(pyramid, z), counties, bands, blocks);
        stage.at(++done);
        await breathe(EVERYBODY);
      }
    }
    const bounds = boundsOf(request);
    const refs: Record<string, TileArchive> = {
      blocks: await putArchive(store, 'blocks', blocks.finish(blockFacts(bounds))),
    };
    for (const [column, writer] of bands.entries()) {
      const mode = request.modes[Math.floor(column / leafIds.length)];
      const type = leafIds[column % leafIds.length];
      const facts = bandFacts(
        mode,
        request.taxonomy.types.find((t) => t.dest_type_id === type)!.name,
        bounds,
      );
      refs[`${mode}-${type}`] = await putArchive(store, `${mode}-${type}`, writer.finish(facts));
    }
    const all = [blocks, ...bands].reduce((sum, writer) => sum + writer.tiles, 0);
    stage.finish(`${all} tiles in ${bands.length + 1} archives`);
    return refs;
  } finally {
    tiles.close();
  }
}

async function openPyramid(
  pyramid: TilePyramid,
  request: TilesRequest,
  store: WritableStore,
  columns: number,
): Promise<PyramidCounty[]> {
  const counties: PyramidCounty[] = [];
  for (const fips of pyramid.counties) {
    counties.push(within(pyramid, await openTileCounty(store, request.counties[fips], columns)));
  }
  return counties;
}

/** Draws a zoom of a pyramid into all archives. `bands`: one a column of `nearest`. */
function drawZoom(
  z: number,
  range: TileRange,
  counties: readonly PyramidCounty[],
  bands: readonly PmtilesWriter[],
  blocks: PmtilesWriter,
): void {
  const arcs = counties.map((county) => fitToZoom(county.arcs, z));
  const painter = new BandPainter();
  bands.forEach((writer, column) => {
    const maps = counties.map(({ index, bands }, i) => ({
      arcs: arcs[i],
      bands: bands.subarray(column * index.count, (column + 1) * index.count),
    }));
    for (const { x, y, bytes } of painter.draw(maps, range)) {
      writer.add({ z, x, y }, gzipSync(bytes));
    }
  });
  if (z < MIN_BLOCK_ZOOM) return;
  for (const { x, y, bytes } of drawBlocks(counties, arcs, range)) {
    blocks.add({ z, x, y }, gzipSync(bytes));
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
  archive: Content,
): Promise<TileArchive> {
  return {
    archive: await putObject(store, `tiles/${key}`, 'pmtiles', archive),
    sums: await putObject(store, `tiles/${key}`, 'tta', await pageSumsOf(archive)),
  };
}
