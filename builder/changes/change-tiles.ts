import { gzipSync } from 'node:zlib';
import type { Measure } from '../../shards/changes/block-change.ts';
import type { ComparedCounty, ReleasePair } from '../../shards/changes/compared-county.ts';
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
import { BUFFER, type TileRange } from '../tiles/cut-into-tiles.ts';
import { EXTENT } from '../tiles/fit-to-zoom.ts';
import { polygonPieces } from '../tiles/tile-grid.ts';
import { encodeTile, TileLayer } from '../tiles/vector-tile.ts';
import { changedBlocks, changesByCounty, propertyNames } from './changed-columns.ts';

const LAYER = 'changes';
const [MIN_ZOOM, MAX_ZOOM] = [8, 13];

/**
 * Draws the blocks that changed as an archive of vector tiles, with the properties of the GeoJSON
 * of changes. Counties are read one by one; a tile is written once no later county can reach it.
 * Throws a `BuildError` if no block changed, since an archive needs bounds.
 */
export async function changeTiles(
  pair: ReleasePair,
  counties: readonly ComparedCounty[],
  measures: readonly Measure[],
  scratch: ScratchFile,
): Promise<{ readonly body: PutBody; readonly blocks: number }> {
  const names = propertyNames(measures, pair.after.taxonomy);
  const writer = new PmtilesWriter(scratch);
  const open = new OpenTiles(counties, writer);
  let blocks = 0;
  let bounds: BoundingBox | null = null;
  for await (const changed of changesByCounty(counties, measures)) {
    for await (const { block, values, polygons } of changedBlocks(changed, measures)) {
      if (polygons === null) continue;
      const geoid = changed.county.geoids[block];
      const own = Object.fromEntries(names.map((name, i) => [name, values[i]]));
      open.draw(polygons, { geoid: geoidFromNumber(geoid), ...own }, geoid);
      const box = boxOf(polygons.flat(2));
      bounds = bounds === null ? box : boxAroundBoth(bounds, box);
      blocks++;
    }
    open.closeAfter(changed.county);
  }
  if (bounds === null) throw new BuildError('no block differs, so there is nothing to draw');
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

/** Tiles of all zooms, until all counties that reach them are drawn. */
class OpenTiles {
  readonly #writer: PmtilesWriter;
  readonly #lastCounty = new Map<number, ComparedCounty>();
  /** By key of the tile of the least zoom that contains them. */
  readonly #tiles = new Map<number, Map<number, OpenTile>>();

  constructor(counties: readonly ComparedCounty[], writer: PmtilesWriter) {
    this.#writer = writer;
    for (const county of counties) {
      const { west, east, north, south } = reachOf(county);
      for (let x = west; x <= east; x++) {
        for (let y = north; y <= south; y++) this.#lastCounty.set(keyOf(MIN_ZOOM, x, y), county);
      }
    }
  }

  draw(
    polygons: Polygons,
    properties: Readonly<Record<string, string | number | null>>,
    id: number,
  ): void {
    for (let zoom = MIN_ZOOM; zoom <= MAX_ZOOM; zoom++) {
      const side = 2 ** zoom;
      const pieces = polygonPieces(ringsAt(polygons, side * EXTENT), {
        west: 0,
        north: 0,
        east: side - 1,
        south: side - 1,
      });
      for (const { x, y, value } of pieces.entries()) {
        this.#at(zoom, x, y).addFeature(value, properties, id);
      }
    }
  }

  /** Writes the tiles that only a county and those before it reach. */
  closeAfter(county: ComparedCounty): void {
    for (const [square, tiles] of this.#tiles) {
      if (this.#lastCounty.get(square) !== county) continue;
      for (const { z, x, y, layer } of tiles.values()) {
        if (!layer.inSight) continue;
        this.#writer.add({ z, x, y }, gzipSync(encodeTile([layer]), { level: 9 }));
      }
      this.#tiles.delete(square);
    }
  }

  #at(z: number, x: number, y: number): TileLayer {
    const above = z - MIN_ZOOM;
    const tiles = entryOf(this.#tiles, keyOf(MIN_ZOOM, x >> above, y >> above), () => new Map());
    const create = () => ({ z, x, y, layer: new TileLayer(LAYER) });
    return entryOf(tiles, keyOf(z, x, y), create).layer;
  }
}

interface OpenTile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly layer: TileLayer;
}

function keyOf(z: number, x: number, y: number): number {
  return (z * 2 ** MAX_ZOOM + x) * 2 ** MAX_ZOOM + y;
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}

/** The tiles of the least zoom that a county's blocks reach in either release, with buffers. */
function reachOf({ before, after }: ComparedCounty): TileRange {
  const boxes = [before, after].flatMap((side) => (side === null ? [] : [side.county.block_box]));
  const side = 2 ** MIN_ZOOM;
  const margin = (BUFFER + 1) / EXTENT;
  return {
    west: Math.floor(worldX(Math.min(...boxes.map(([west]) => west))) * side - margin),
    east: Math.floor(worldX(Math.max(...boxes.map(([, , east]) => east))) * side + margin),
    north: Math.floor(worldY(Math.max(...boxes.map(([, , , north]) => north))) * side - margin),
    south: Math.floor(worldY(Math.min(...boxes.map(([, south]) => south))) * side + margin),
  };
}

/** Projects polygons, and rounds them to units of a tile; `side` is the world's in these units. */
function ringsAt(polygons: Polygons, side: number): Rings {
  return ringsOf(
    polygons.map((polygon) => ({ polygons: [polygon] })),
    (lon) => Math.round(worldX(lon) * side),
    (lat) => Math.round(worldY(lat) * side),
  );
}
