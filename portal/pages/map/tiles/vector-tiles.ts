import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles } from 'pmtiles';
import { BAND_ENDS } from '../../../../shards/bands/time-bands.ts';
import { worldX, worldY } from '../../../../shards/geometry/web-mercator.ts';
import { ArchiveSource } from './archive-source.ts';

export type Box = readonly [west: number, south: number, east: number, north: number];

/**
 * Zooms of tiles: the first of bands and of the base map, the first of blocks, and the last of all.
 */
export const TILE_ZOOMS = { bands: 6, blocks: 11, most: 14 } as const;

export interface TileAt {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

/**
 * A feature of a tile. A point of its geometry lies at `(x + point.x / extent) / 2 ** zoom` of the
 * world.
 */
export interface TileFeature extends TileAt {
  readonly layer: string;
  readonly extent: number;
  readonly feature: VectorTileFeature;
}

/** Reads the features of some layers from an archive's tiles; a missing tile has none. */
export async function readTiles(
  archiveUrl: string,
  tiles: readonly TileAt[],
  layers: readonly string[],
): Promise<readonly TileFeature[]> {
  const archive = new PMTiles(new ArchiveSource(archiveUrl));
  const read = await Promise.all(
    tiles.map(async (at) => {
      const tile = await archive.getZxy(at.zoom, at.x, at.y);
      if (tile === undefined) return [];
      const { layers: all } = new VectorTile(new PbfReader(tile.data));
      return layers.flatMap((layer) =>
        Array.from({ length: all[layer]?.length ?? 0 }, (_, i) => ({
          ...at,
          layer,
          extent: all[layer].extent,
          feature: all[layer].feature(i),
        })),
      );
    }),
  );
  return read.flat();
}

/** Tiles that are read for names; a region has thousands. */
const MAX_NAME_TILES = 256;

/** Reads the names of points in a box, by their ids; none in a box of too many tiles. */
export async function namesAround(
  archiveUrl: string,
  box: Box,
  layer: string,
): Promise<readonly (readonly [id: number, name: string])[]> {
  const tiles = tilesIn(box, TILE_ZOOMS.most);
  if (tiles.length > MAX_NAME_TILES) return [];
  const points = await readTiles(archiveUrl, tiles, [layer]);
  return points.flatMap(({ feature: { id, properties } }) =>
    id !== undefined && typeof properties.name === 'string' ? [[id, properties.name] as const] : [],
  );
}

/** Counts the points of a layer in the tiles that intersect a box: at least those in the box. */
export async function pointsAround(archiveUrl: string, box: Box, layer: string): Promise<number> {
  return (await readTiles(archiveUrl, tilesIn(box, TILE_ZOOMS.blocks), [layer])).length;
}

/** The zoom of the tiles for a map of a zoom. */
export function heldZoom(zoom: number): number {
  return Math.min(TILE_ZOOMS.most, Math.max(TILE_ZOOMS.bands, Math.floor(zoom)));
}

/** The tiles of a zoom that intersect a box in degrees; east may exceed 180. */
export function tilesIn([west, south, east, north]: Box, zoom: number): readonly TileAt[] {
  const count = 2 ** zoom;
  const column = (lon: number) => Math.floor(worldX(lon) * count);
  const row = (lat: number) => Math.min(count - 1, Math.max(0, Math.floor(worldY(lat) * count)));
  const tiles: TileAt[] = [];
  for (let x = column(west); x <= column(east); x++) {
    for (let y = row(north); y <= row(south); y++) tiles.push({ zoom, x: (x + count) % count, y });
  }
  return tiles;
}

/** Converts a point, as fractions of the world's width and height, to one in a picture. */
export type Place = (x: number, y: number) => readonly [x: number, y: number];

/**
 * Reads the time bands in a box from an archive, at a zoom or the next that it has. Returns the `d`
 * of an SVG path for each class, empty for a class without bands. The paths have to be filled with
 * the nonzero rule, since the polygons of neighbouring tiles overlap in their buffers.
 */
export async function bandPaths(
  archiveUrl: string,
  box: Box,
  zoom: number,
  place: Place,
): Promise<readonly string[]> {
  const paths = BAND_ENDS.map(() => '');
  for (const band of await readTiles(archiveUrl, tilesIn(box, heldZoom(zoom)), ['bands'])) {
    const index = BAND_ENDS.indexOf(Number(band.feature.properties.minutes));
    if (index !== -1) paths[index] += pathOf(band, place);
  }
  return paths;
}

/** Geometry type of an area in a vector tile. */
const AREA = 3;

export function isArea({ feature }: TileFeature): boolean {
  return feature.type === AREA;
}

/** The `d` of an SVG path of a line or an area. */
export function pathOf(at: TileFeature, place: Place): string {
  const end = isArea(at) ? 'Z' : '';
  return at.feature
    .loadGeometry()
    .map((line) => `M${line.map((point) => placed(at, point, place).join(' ')).join('L')}${end}`)
    .join('');
}

/** The position in a picture of a point of a feature, in tenths. */
export function placed(
  { zoom, x, y, extent }: TileFeature,
  point: { readonly x: number; readonly y: number },
  place: Place,
): readonly [x: number, y: number] {
  const world = 2 ** zoom;
  const [left, top] = place((x + point.x / extent) / world, (y + point.y / extent) / world);
  return [Math.round(left * 10) / 10, Math.round(top * 10) / 10];
}
