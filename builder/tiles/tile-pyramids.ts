import type { TileAddress } from '../../shards/pmtiles/tile-id.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import { type CountyFips, toMicro } from '../../shards/units.ts';
import { WORLD_BITS, worldX, worldY } from '../geo/web-mercator.ts';
import { type Arcs, OUTSIDE } from './block-arcs.ts';
import { BUFFER, type TileRange } from './cut-into-tiles.ts';
import { EXTENT, MAX_TILE_ZOOM } from './fit-to-zoom.ts';
import type { TileCounty } from './tile-county.ts';

export const MIN_TILE_ZOOM = 6;

/**
 * A tile and the tiles below it, which are drawn together, so that only the counties around it are
 * in memory at a time, however large the release.
 */
export interface TilePyramid {
  readonly tile: TileAddress;
  readonly lastZoom: number;
  readonly counties: readonly CountyFips[];
}

/** The first zoom of each group of zooms that is drawn together. */
const FIRST_ZOOMS = [MIN_TILE_ZOOM, 10];

type Boxes = Readonly<Record<CountyFips, Pick<CountyManifest, 'block_box'>>>;

/** The pyramids of tiles that counties extend into, in a fixed order. */
export function pyramidsOf(counties: Boxes): TilePyramid[] {
  return FIRST_ZOOMS.flatMap((z, i) => {
    const lastZoom = (FIRST_ZOOMS[i + 1] ?? MAX_TILE_ZOOM + 1) - 1;
    const shift = WORLD_BITS - z;
    const margin = bufferOf(z);
    const found = new Map<string, { tile: TileAddress; lastZoom: number; counties: string[] }>();
    for (const [county, { block_box }] of Object.entries(counties)) {
      const [west, south, east, north] = block_box.map(toMicro);
      const last = 2 ** z - 1;
      const firstX = Math.max(0, (worldX(west) - margin) >> shift);
      const lastX = Math.min(last, (worldX(east) + margin) >> shift);
      const firstY = Math.max(0, (worldY(north) - margin) >> shift);
      const lastY = Math.min(last, (worldY(south) + margin) >> shift);
      for (let x = firstX; x <= lastX; x++) {
        for (let y = firstY; y <= lastY; y++) {
          const key = `${x}/${y}`;
          const pyramid = found.get(key) ?? { tile: { z, x, y }, lastZoom, counties: [] };
          pyramid.counties.push(county);
          found.set(key, pyramid);
        }
      }
    }
    return [...found.values()];
  });
}

export function tilesAt({ tile }: TilePyramid, zoom: number): TileRange {
  const side = 2 ** (zoom - tile.z);
  const [west, north] = [tile.x * side, tile.y * side];
  return { west, north, east: west + side - 1, south: north + side - 1 };
}

/** A county reduced to the blocks that extend into a pyramid. */
export interface PyramidCounty extends TileCounty {
  /** 1 for a block that extends into the pyramid. */
  readonly isNear: Uint8Array;
}

/** Reduces a county to a pyramid: drops the arcs between blocks outside it, and their bands. */
export function within({ tile }: TilePyramid, county: TileCounty): PyramidCounty {
  const side = 2 ** (WORLD_BITS - tile.z);
  const margin = bufferOf(tile.z);
  const isNear = nearBlocks(county, {
    west: tile.x * side - margin,
    north: tile.y * side - margin,
    east: (tile.x + 1) * side + margin,
    south: (tile.y + 1) * side + margin,
  });
  const { arcs, index } = county;
  const bands = county.bands.map((band, i) => (isNear[i % index.count] === 1 ? band : 0));
  const isKept = (arc: number): boolean =>
    isNear[arcs.inside[arc]] === 1 ||
    (arcs.outside[arc] !== OUTSIDE && isNear[arcs.outside[arc]] === 1);
  return { index, arcs: keepArcs(arcs, isKept), bands, isNear };
}

/** The buffer of a zoom's tiles, in units of the world. */
function bufferOf(zoom: number): number {
  return Math.ceil((BUFFER / EXTENT) * 2 ** (WORLD_BITS - zoom));
}

function nearBlocks({ arcs, index }: TileCounty, box: TileRange): Uint8Array {
  const [minX, minY] = [0, 0].map(() => new Int32Array(index.count).fill(2 ** 31 - 1));
  const [maxX, maxY] = [0, 0].map(() => new Int32Array(index.count).fill(-1));
  const { firstPoint, x, y, inside, outside } = arcs;
  for (let arc = 0; arc < arcs.count; arc++) {
    for (const block of [inside[arc], outside[arc]]) {
      if (block === OUTSIDE) continue;
      for (let i = firstPoint[arc]; i < firstPoint[arc + 1]; i++) {
        if (x[i] < minX[block]) minX[block] = x[i];
        if (x[i] > maxX[block]) maxX[block] = x[i];
        if (y[i] < minY[block]) minY[block] = y[i];
        if (y[i] > maxY[block]) maxY[block] = y[i];
      }
    }
  }
  return Uint8Array.from(minX, (_, block) =>
    minX[block] <= box.east &&
    maxX[block] >= box.west &&
    minY[block] <= box.south &&
    maxY[block] >= box.north
      ? 1
      : 0,
  );
}

function keepArcs(arcs: Arcs, isKept: (arc: number) => boolean): Arcs {
  const kept = Uint32Array.from({ length: arcs.count }, (_, arc) => arc).filter(isKept);
  const firstPoint = new Uint32Array(kept.length + 1);
  kept.forEach((arc, i) => {
    firstPoint[i + 1] = firstPoint[i] + arcs.firstPoint[arc + 1] - arcs.firstPoint[arc];
  });
  const [x, y] = [new Int32Array(firstPoint.at(-1)!), new Int32Array(firstPoint.at(-1)!)];
  kept.forEach((arc, i) => {
    x.set(arcs.x.subarray(arcs.firstPoint[arc], arcs.firstPoint[arc + 1]), firstPoint[i]);
    y.set(arcs.y.subarray(arcs.firstPoint[arc], arcs.firstPoint[arc + 1]), firstPoint[i]);
  });
  return {
    count: kept.length,
    firstPoint,
    x,
    y,
    inside: Int32Array.from(kept, (arc) => arcs.inside[arc]),
    outside: Int32Array.from(kept, (arc) => arcs.outside[arc]),
  };
}
