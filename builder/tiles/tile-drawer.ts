import { gzipSync } from 'node:zlib';
import { Turns } from '../../shards/concurrency/turns.ts';
import { boxesMeet, boxWithin } from '../../shards/geometry/wgs84.ts';
import type { TileAddress } from '../../shards/pmtiles/tile-id.ts';
import { openPoiMatrix, type PoiMatrix } from '../../shards/pois/poi-table.ts';
import type { CountyManifest, Manifest } from '../../shards/release/manifest.ts';
import type { Store } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { BoundingBox, Bytes, CountyFips, DestTypeId } from '../../shards/units.ts';
import { boxOfTile } from '../geo/web-mercator.ts';
import { BandPainter } from './band-tiles.ts';
import { drawBaseMap, drawTransitLines, type MapSources } from './base-map-tiles.ts';
import type { Arcs } from './block-arcs.ts';
import { drawBlocks, MIN_BLOCK_ZOOM } from './block-tiles.ts';
import { fitToZoom } from './fit-to-zoom.ts';
import { groundOf } from './ground.ts';
import {
  type BaseMapInputs,
  bytesOfMap,
  readLines,
  readMapSources,
  type TransitLines,
  withSurroundings,
} from './map-sources.ts';
import { drawPois } from './poi-tiles.ts';
import { openTileCounty, type TileObjects } from './tile-county.ts';
import type { DrawnTile } from './tile-grid.ts';
import {
  type PyramidCounty,
  pyramidsOf,
  type TilePyramid,
  tilesAt,
  within,
} from './tile-pyramids.ts';

interface DrawnCounty extends Pick<CountyManifest, 'block_box'> {
  readonly objects: TileObjects;
}

export interface TilesRequest {
  readonly modes: readonly string[];
  readonly taxonomy: Manifest['taxonomy'];
  readonly counties: Readonly<Record<CountyFips, DrawnCounty>>;
  readonly poiSources?: readonly string[];
  /** The inputs of the base map; without them, none is drawn. */
  readonly baseMap?: BaseMapInputs;
  /** The lines of transit; without them, there is no archive of them. */
  readonly lines?: TransitLines;
}

/**
 * A pyramid's tiles of the archives from `firstArchive` to `endArchive`, exclusive, as
 * `archiveNumbers` numbers them.
 */
export interface TilePiece {
  readonly pyramid: TilePyramid;
  readonly firstArchive: number;
  readonly endArchive: number;
}

/**
 * Tiles as passed between threads: archive, zoom, x, y and length of each tile, and the gzipped
 * bytes of all tiles.
 */
export interface PieceOfTiles {
  readonly heads: Uint32Array;
  readonly bytes: Uint8Array;
}

export const HEAD_NUMBERS = 5;

/** A pyramid being drawn: its counties, and their arcs by zoom. */
interface OpenPyramid {
  readonly counties: readonly PyramidCounty[];
  readonly arcs: readonly Arcs[][];
  /** The POIs at home in its counties. */
  readonly pois: readonly PoiMatrix[];
  /** The sources of the base map and of the lines, read when they are drawn; null before. */
  map: Promise<MapSources> | null;
  lines: Promise<MapSources> | null;
}

export function pyramidsToDraw({ counties, baseMap }: TilesRequest): TilePyramid[] {
  return pyramidsOf(baseMap === undefined ? counties : withSurroundings(counties));
}

/**
 * Numbers the archives of a release: those of bands, by the columns of `nearest`, then that of
 * blocks, those of the POIs of each leaf type, the base map, and the lines of transit.
 */
export function archiveNumbers({ modes, taxonomy }: Pick<TilesRequest, 'modes' | 'taxonomy'>) {
  const { leafIds } = new Taxonomy(taxonomy.types);
  const blocks = modes.length * leafIds.length;
  const firstOfPois = blocks + 1;
  const baseMap = firstOfPois + leafIds.length;
  return { blocks, firstOfPois, baseMap, lines: baseMap + 1 };
}

/**
 * Returns the peak memory of a drawer of some pyramids of these counties: the most that a pyramid,
 * which takes no more than the objects it is read from, and the base map there take.
 */
export function bytesToDraw(
  request: Pick<TilesRequest, 'counties' | 'baseMap' | 'lines'>,
  drawn: readonly TilePyramid[],
): Bytes {
  const read = (county: CountyFips): Bytes => {
    const { index, nearest, blocks } = request.counties[county].objects;
    return index.bytes + nearest.bytes + blocks.bytes;
  };
  const bytesOf = (pyramid: TilePyramid) =>
    pyramid.counties.reduce((sum, county) => sum + read(county), 0) + bytesOfMap(request, pyramid);
  return drawn.reduce((most, pyramid) => Math.max(most, bytesOf(pyramid)), 0);
}

/**
 * Draws pieces of tiles. Everything that archives share, which is all but the bands, is computed
 * once per pyramid, since its pieces come consecutively.
 */
export class TileDrawer {
  readonly #request: TilesRequest;
  readonly #store: Store;
  readonly #numbers: ReturnType<typeof archiveNumbers>;
  readonly #leafIds: readonly DestTypeId[];
  /** The area of the base map, and of the lines, around each county. */
  readonly #mapped: ReadonlyMap<CountyFips, BoundingBox>;
  readonly #painter = new BandPainter();
  #last: { readonly pyramid: TilePyramid['tile']; readonly open: Promise<OpenPyramid> } | null =
    null;

  constructor(request: TilesRequest, store: Store) {
    this.#request = request;
    this.#store = store;
    this.#numbers = archiveNumbers(request);
    this.#leafIds = new Taxonomy(request.taxonomy.types).leafIds;
    const around = Object.entries(withSurroundings(request.counties));
    this.#mapped = new Map(around.map(([fips, { block_box }]) => [fips, boxWithin(block_box)]));
  }

  async draw({ pyramid, firstArchive, endArchive }: TilePiece): Promise<PieceOfTiles> {
    const open = await this.#open(pyramid);
    const { counties, arcs, pois } = open;
    const numbers = this.#numbers;
    const has = (archive: number) => firstArchive <= archive && archive < endArchive;
    const map = has(numbers.baseMap) ? await this.#mapOf(pyramid, open) : null;
    const lines = has(numbers.lines) ? await this.#linesOf(pyramid, open) : null;
    const heads: number[] = [];
    const gzipped: Uint8Array[] = [];
    arcs.forEach((fitted, i) => {
      const z = pyramid.tile.z + i;
      const range = tilesAt(pyramid, z);
      for (let archive = firstArchive; archive < endArchive; archive++) {
        let tiles: DrawnTile[] = [];
        if (archive < numbers.blocks) {
          const maps = counties.map(({ index, bands }, county) => ({
            arcs: fitted[county],
            bands: bands.subarray(archive * index.count, (archive + 1) * index.count),
          }));
          tiles = this.#painter.draw(maps, range);
        } else if (archive === numbers.baseMap) {
          const ground = groundOf(pyramid.counties, counties, fitted);
          tiles = drawBaseMap(map!, ground, z, range).filter((tile) =>
            this.#isMapped(pyramid, { z, ...tile }),
          );
        } else if (archive === numbers.lines) {
          tiles = drawTransitLines(lines!, z, range).filter((tile) =>
            this.#isMapped(pyramid, { z, ...tile }),
          );
        } else if (z >= MIN_BLOCK_ZOOM) {
          tiles =
            archive === numbers.blocks
              ? drawBlocks(counties, fitted, range)
              : drawPois(pois, this.#leafIds[archive - numbers.firstOfPois], z, range);
        }
        for (const { x, y, bytes } of tiles) {
          const packed = gzipSync(bytes);
          heads.push(archive, z, x, y, packed.length);
          gzipped.push(packed);
        }
      }
    });
    return { heads: Uint32Array.from(heads), bytes: Buffer.concat(gzipped) };
  }

  #open(pyramid: TilePyramid): Promise<OpenPyramid> {
    const { z, x, y } = pyramid.tile;
    const last = this.#last?.pyramid;
    if (last?.z !== z || last.x !== x || last.y !== y) {
      this.#last = { pyramid: pyramid.tile, open: this.#read(pyramid) };
    }
    return this.#last!.open;
  }

  #mapOf(pyramid: TilePyramid, open: OpenPyramid): Promise<MapSources> {
    open.map ??= readMapSources(this.#store, this.#request.baseMap!, pyramid);
    return open.map;
  }

  #linesOf(pyramid: TilePyramid, open: OpenPyramid): Promise<MapSources> {
    open.lines ??= readLines(this.#store, this.#request.lines!, pyramid);
    return open.lines;
  }

  /** Whether a tile is part of the map: near the blocks of a county. */
  #isMapped({ counties }: TilePyramid, tile: TileAddress): boolean {
    const box = boxOfTile(tile);
    return counties.some((county) => boxesMeet(this.#mapped.get(county)!, box));
  }

  async #read(pyramid: TilePyramid): Promise<OpenPyramid> {
    const counties: PyramidCounty[] = [];
    const pois: PoiMatrix[] = [];
    for (const fips of pyramid.counties) {
      const { objects } = this.#request.counties[fips];
      counties.push(
        within(pyramid, await openTileCounty(this.#store, objects, this.#numbers.blocks)),
      );
      const { catchment } = objects;
      if (catchment === undefined || pyramid.lastZoom < MIN_BLOCK_ZOOM) continue;
      pois.push(await openPoiMatrix(this.#store, catchment, 'origins', Turns.SHARED));
    }
    const arcs: Arcs[][] = [];
    for (let z = pyramid.tile.z; z <= pyramid.lastZoom; z++) {
      arcs.push(counties.map((county) => fitToZoom(county.arcs, z)));
    }
    return { counties, arcs, pois, map: null, lines: null };
  }
}
