import { gzipSync } from 'node:zlib';
import type { Measure } from '../../shards/changes/block-change.ts';
import type { ReleasePair } from '../../shards/changes/compared-county.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Polygons } from '../../shards/geometry/geo-json.ts';
import { type Rings, ringsOf } from '../../shards/geometry/rings.ts';
import { worldX, worldY } from '../../shards/geometry/web-mercator.ts';
import { boxAroundBoth, boxOf } from '../../shards/geometry/wgs84.ts';
import { PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import type { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { attributionOf } from '../export/terms.ts';
import type { TileRange } from '../tiles/cut-into-tiles.ts';
import { EXTENT } from '../tiles/fit-to-zoom.ts';
import { type DrawnTile, polygonPieces, TileGrid, tilesInSight } from '../tiles/tile-grid.ts';
import { TileLayer } from '../tiles/vector-tile.ts';
import { type ChangedCounty, changedBlocks, propertyNames } from './changed-columns.ts';

const LAYER = 'changes';
const [MIN_ZOOM, MAX_ZOOM] = [8, 13];

/** A block that changed, with the properties of its feature. */
interface DrawnBlock {
  readonly geoid: number;
  readonly polygons: Polygons;
  readonly properties: Readonly<Record<string, string | number | null>>;
}

/**
 * Draws the blocks that changed as an archive of vector tiles, with the properties of the GeoJSON
 * of changes. Throws a `BuildError` if no block changed, since an archive needs bounds.
 */
export async function changeTiles(
  pair: ReleasePair,
  counties: readonly ChangedCounty[],
  measures: readonly Measure[],
  scratch: ScratchFile,
): Promise<{ readonly body: PutBody; readonly blocks: number }> {
  const names = propertyNames(measures, pair.after.taxonomy);
  const blocks: DrawnBlock[] = [];
  for (const changed of counties) {
    for await (const { block, values, polygons } of changedBlocks(changed, measures)) {
      if (polygons === null) continue;
      const geoid = changed.county.geoids[block];
      const own = Object.fromEntries(names.map((name, i) => [name, values[i]]));
      blocks.push({ geoid, polygons, properties: { geoid: geoidFromNumber(geoid), ...own } });
    }
  }
  if (blocks.length === 0) {
    throw new BuildError('no block differs, so there is nothing to draw');
  }
  const bounds = blocks.map(({ polygons }) => boxOf(polygons.flat(2))).reduce(boxAroundBoth);
  const writer = new PmtilesWriter(scratch);
  for (let zoom = MIN_ZOOM; zoom <= MAX_ZOOM; zoom++) {
    for (const { x, y, bytes } of tilesOf(blocks, bounds, zoom)) {
      writer.add({ z: zoom, x, y }, gzipSync(bytes, { level: 9 }));
    }
  }
  const body = writer.finish({
    name: LAYER,
    description: `Blocks whose times or counts differ between releases ${pair.before.version} and ${pair.after.version}.`,
    attribution: attributionOf(pair.after),
    bounds,
    minZoom: MIN_ZOOM,
    maxZoom: MAX_ZOOM,
    layers: [
      {
        id: LAYER,
        description: 'A feature’s id is its GEOID as a number.',
        fields: { geoid: 'String', ...Object.fromEntries(names.map((name) => [name, 'Number'])) },
      },
    ],
  });
  return { body, blocks: blocks.length };
}

function tilesOf(blocks: readonly DrawnBlock[], bounds: BoundingBox, zoom: number): DrawnTile[] {
  const world = 2 ** zoom;
  const range: TileRange = {
    west: Math.floor(worldX(bounds.minLon) * world),
    east: Math.floor(worldX(bounds.maxLon) * world),
    north: Math.floor(worldY(bounds.maxLat) * world),
    south: Math.floor(worldY(bounds.minLat) * world),
  };
  const tiles = new TileGrid(range, () => new TileLayer(LAYER));
  for (const { geoid, polygons, properties } of blocks) {
    const pieces = polygonPieces(ringsAt(polygons, world * EXTENT), range);
    for (const { x, y, value } of pieces.entries()) {
      tiles.at(x, y).addFeature(value, properties, geoid);
    }
  }
  return tilesInSight(tiles);
}

/** Projects polygons, and rounds them to units of a tile; `side` is the world's in these units. */
function ringsAt(polygons: Polygons, side: number): Rings {
  return ringsOf(
    polygons.map((polygon) => ({ polygons: [polygon] })),
    (lon) => Math.round(worldX(lon) * side),
    (lat) => Math.round(worldY(lat) * side),
  );
}
