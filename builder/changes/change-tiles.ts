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
import { EXTENT } from '../tiles/fit-to-zoom.ts';
import { POLYGON } from '../tiles/tile-geometry.ts';
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
  const waiting = new WaitingTiles(scratch);
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

interface ChangedOutline {
  readonly geoid: GeoidNumber;
  /** In the order of properties. */
  readonly values: readonly (number | null)[];
  readonly polygons: Polygons;
}

/** A block's part of a tile in a scratch file: these numbers, and then the geometry. */
const PIECE = {
  factsAt: 0,
  factsLength: 8,
  geometryLength: 12,
  inSight: 16,
  headLength: 17,
};

/**
 * Blocks and their parts of tiles in a scratch file, so that those of one tile are in memory at a
 * time, however many blocks and zooms there are.
 */
class WaitingTiles {
  readonly #scratch: ScratchFile;
  /** By key of the tile, where the parts that it shows begin in the file. */
  readonly #piecesOf = new Map<number, Bytes[]>();

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch;
  }

  add({ polygons, ...facts }: ChangedOutline): void {
    const json = Buffer.from(JSON.stringify(facts));
    const head = Buffer.alloc(PIECE.headLength);
    head.writeDoubleLE(this.#scratch.append(json), PIECE.factsAt);
    head.writeUInt32LE(json.length, PIECE.factsLength);
    for (let z = MIN_ZOOM; z <= MAX_ZOOM; z++) {
      const side = 2 ** z;
      const all = { west: 0, north: 0, east: side - 1, south: side - 1 };
      for (const { x, y, value } of polygonPieces(
        ringsAt(polygons, side * EXTENT),
        all,
      ).entries()) {
        head.writeUInt32LE(value.bytes.length, PIECE.geometryLength);
        head.writeUInt8(Number(value.inSight), PIECE.inSight);
        const piece = this.#scratch.append(Buffer.concat([head, value.bytes]));
        addTo(this.#piecesOf, keyOf(z, x, y), piece);
      }
    }
  }

  drawTo(writer: PmtilesWriter, names: readonly string[]): void {
    for (const [key, pieces] of this.#piecesOf) {
      const layer = new TileLayer(LAYER);
      for (const piece of pieces) {
        const { geoid, values, geometry } = this.#read(piece);
        const properties: Record<string, string | number | null> = {
          geoid: geoidFromNumber(geoid),
        };
        for (let i = 0; i < names.length; i++) properties[names[i]] = values[i];
        layer.addFeature(geometry, properties, geoid);
      }
      if (layer.inSight) writer.add(tileOf(key), gzipSync(encodeTile([layer]), { level: 9 }));
    }
  }

  #read(piece: Bytes) {
    const head = Buffer.from(this.#scratch.read(piece, PIECE.headLength));
    const geometry = {
      type: POLYGON,
      bytes: this.#scratch.read(piece + PIECE.headLength, head.readUInt32LE(PIECE.geometryLength)),
      inSight: head.readUInt8(PIECE.inSight) === 1,
    } as const;
    const facts = this.#scratch.read(
      head.readDoubleLE(PIECE.factsAt),
      head.readUInt32LE(PIECE.factsLength),
    );
    const { geoid, values }: Omit<ChangedOutline, 'polygons'> = JSON.parse(
      Buffer.from(facts).toString(),
    );
    return { geoid, values, geometry };
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

/** Projects polygons, and rounds them to units of a tile; `side` is the world's in these units. */
function ringsAt(polygons: Polygons, side: number): Rings {
  return ringsOf(
    polygons.map((polygon) => ({ polygons: [polygon] })),
    (lon) => Math.round(worldX(lon) * side),
    (lat) => Math.round(worldY(lat) * side),
  );
}
