import { gzipSync } from 'node:zlib';
import { addTo } from '../../shards/arrays/group-by.ts';
import type { Measure } from '../../shards/changes/block-change.ts';
import type { ComparedCounty, ReleasePair } from '../../shards/changes/compared-county.ts';
import { type GeoidNumber, geoidFromNumber } from '../../shards/geoid.ts';
import type { Polygons } from '../../shards/geometry/geo-json.ts';
import { type Rings, ringsOf } from '../../shards/geometry/rings.ts';
import { worldX, worldY } from '../../shards/geometry/web-mercator.ts';
import { boxAroundBoth, boxOf } from '../../shards/geometry/wgs84.ts';
import type { TileAddress } from '../../shards/pmtiles/tile-id.ts';
import { PmtilesWriter } from '../../shards/pmtiles/writer.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import type { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { attributionOf } from '../export/terms.ts';
import { BUFFER } from '../tiles/cut-into-tiles.ts';
import { EXTENT } from '../tiles/fit-to-zoom.ts';
import { polygonPieces } from '../tiles/tile-grid.ts';
import { encodeTile, TileLayer } from '../tiles/vector-tile.ts';
import { changedBlocks, changesByCounty, propertyNames } from './changed-columns.ts';

const LAYER = 'changes';
const [MIN_ZOOM, MAX_ZOOM] = [8, 13];

/**
 * Draws the blocks that changed as an archive of vector tiles, with the properties of the GeoJSON
 * of changes. Counties are read one by one, and tiles are drawn one by one. Throws a `BuildError`
 * if no block changed, since an archive needs bounds.
 */
export async function changeTiles(
  pair: ReleasePair,
  counties: readonly ComparedCounty[],
  measures: readonly Measure[],
  scratch: ScratchFile,
): Promise<{ readonly body: PutBody; readonly blocks: number }> {
  const names = propertyNames(measures, pair.after.taxonomy);
  const writer = new PmtilesWriter(scratch);
  const waiting = new WaitingBlocks(scratch);
  let blocks = 0;
  let bounds: BoundingBox | null = null;
  for await (const changed of changesByCounty(counties, measures)) {
    for await (const { block, values, polygons } of changedBlocks(changed, measures)) {
      if (polygons === null) continue;
      const box = boxOf(polygons.flat(2));
      waiting.add({ geoid: changed.county.geoids[block], values, polygons });
      bounds = bounds === null ? box : boxAroundBoth(bounds, box);
      blocks++;
    }
  }
  if (bounds === null) throw new BuildError('no block differs, so there is nothing to draw');
  waiting.drawTo(writer, names);
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
  return { body, blocks };
}

interface WaitingBlock {
  readonly geoid: GeoidNumber;
  /** In the order of properties. */
  readonly values: readonly (number | null)[];
  readonly polygons: Polygons;
}

/**
 * Blocks in a scratch file, and by tile which blocks it may show, so that those of one tile are in
 * memory at a time, however many blocks and zooms there are.
 */
class WaitingBlocks {
  readonly #scratch: ScratchFile;
  /** Where each block begins in the file, and its length there. */
  readonly #places: (readonly [at: Bytes, length: Bytes])[] = [];
  readonly #blocksOf = new Map<number, number[]>();

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch;
  }

  add(block: WaitingBlock): void {
    const bytes = Buffer.from(JSON.stringify(block));
    const ordinal = this.#places.push([this.#scratch.append(bytes), bytes.length]) - 1;
    const tiles = new Set<number>();
    // The boxes of polygons, since that of a block beyond the antimeridian is as wide as the world.
    for (const [shell] of block.polygons) {
      for (let zoom = MIN_ZOOM; zoom <= MAX_ZOOM; zoom++) addTilesAround(boxOf(shell), zoom, tiles);
    }
    for (const tile of tiles) addTo(this.#blocksOf, tile, ordinal);
  }

  drawTo(writer: PmtilesWriter, names: readonly string[]): void {
    for (const [key, blocks] of this.#blocksOf) {
      const { z, x, y } = tileOf(key);
      const layer = new TileLayer(LAYER);
      for (const block of blocks) {
        const { geoid, values, polygons } = this.#read(block);
        const rings = ringsAt(polygons, 2 ** z * EXTENT);
        const pieces = polygonPieces(rings, { west: x, north: y, east: x, south: y });
        const properties: Record<string, string | number | null> = {
          geoid: geoidFromNumber(geoid),
        };
        for (let i = 0; i < names.length; i++) properties[names[i]] = values[i];
        layer.addFeature(pieces.at(x, y), properties, geoid);
      }
      if (layer.inSight) writer.add({ z, x, y }, gzipSync(encodeTile([layer]), { level: 9 }));
    }
  }

  #read(block: number): WaitingBlock {
    const bytes = this.#scratch.read(...this.#places[block]);
    return JSON.parse(Buffer.from(bytes).toString());
  }
}

function keyOf(z: number, x: number, y: number): number {
  return (z * 2 ** MAX_ZOOM + x) * 2 ** MAX_ZOOM + y;
}

function tileOf(key: number): TileAddress {
  const column = Math.floor(key / 2 ** MAX_ZOOM);
  const [z, x, y] = [
    Math.floor(column / 2 ** MAX_ZOOM),
    column % 2 ** MAX_ZOOM,
    key % 2 ** MAX_ZOOM,
  ];
  return { z, x, y };
}

/** Adds the keys of the tiles that a shape in a box may extend into, with their buffers. */
function addTilesAround(box: BoundingBox, zoom: number, tiles: Set<number>): void {
  const side = 2 ** zoom;
  // Points are rounded to units of a tile.
  const margin = (BUFFER + 1) / EXTENT;
  const first = (at: number) => Math.max(0, Math.floor(at * side - margin));
  const last = (at: number) => Math.min(side - 1, Math.floor(at * side + margin));
  for (let x = first(worldX(box.minLon)); x <= last(worldX(box.maxLon)); x++) {
    for (let y = first(worldY(box.maxLat)); y <= last(worldY(box.minLat)); y++) {
      tiles.add(keyOf(zoom, x, y));
    }
  }
}

/** Projects polygons, and rounds them to units of a tile; `side` is the world's in these units. */
function ringsAt(polygons: Polygons, side: number): Rings {
  return ringsOf(
    polygons.map((polygon) => ({ polygons: [polygon] })),
    (lon) => Math.round(worldX(lon) * side),
    (lat) => Math.round(worldY(lat) * side),
  );
}
