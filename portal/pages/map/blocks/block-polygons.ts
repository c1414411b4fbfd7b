import { dissolve } from '../../../../shards/geometry/dissolve.ts';
import type { Rings } from '../../../../shards/geometry/rings.ts';
import { latOf, lonOf } from '../../../../shards/geometry/web-mercator.ts';
import { boxOf } from '../../../../shards/geometry/wgs84.ts';
import { type Box, readTiles, TILE_ZOOMS, type TileAt, tilesIn } from '../tiles/vector-tiles.ts';

type Position = readonly [lon: number, lat: number];
/** The coordinates of a MultiPolygon as in RFC 7946. */
export type Polygons = readonly (readonly (readonly Position[])[])[];

/**
 * Maximum number of tiles in the box; above it, a lower zoom is read, whose blocks have fewer
 * points.
 */
const MAX_TILES = 100;
/** Decimals of degrees; further ones would be less than a tenth of a metre. */
const DECIMALS = 6;

/**
 * Reads the polygons of blocks, by GEOID as a number, from the tiles of their archive. Pieces of a
 * block in several tiles are joined again. `box`: where to look for the blocks; each is completed
 * from the tiles around it. Blocks too small for their tiles are left out.
 */
export async function blockPolygons(
  archiveUrl: string,
  box: Box,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Polygons>> {
  const { zoom, pieces } = await readPieces(archiveUrl, box, wanted, MAX_TILES);
  const polygons = new Map<number, Polygons>();
  for (const [geoid, of] of pieces) {
    const joined = joinedPieces(of, zoom);
    if (joined.length > 0) polygons.set(geoid, joined);
  }
  return polygons;
}

/** Maximum number of tiles that an outline is read from, about those of a screen. */
const MAX_OUTLINE_TILES = 12;
/** A hole smaller than this share of its shell, in width and height, is of blocks left out. */
const LEAST_HOLE = 1 / 20;

/** Reads the outline of some blocks together. `box`: as for `blockPolygons`. */
export async function blockOutline(
  archiveUrl: string,
  box: Box,
  wanted: ReadonlySet<number>,
): Promise<Polygons> {
  const { zoom, pieces } = await readPieces(archiveUrl, box, wanted, MAX_OUTLINE_TILES);
  if (pieces.size === 0) return [];
  return joinedPieces([...pieces.values()].flat(), zoom).map(([shell, ...holes]) => {
    const least = sidesOf(shell).map((side) => side * LEAST_HOLE);
    return [shell, ...holes.filter((hole) => sidesOf(hole).some((side, i) => side > least[i]))];
  });
}

function sidesOf(ring: readonly Position[]): readonly number[] {
  const { minLon, minLat, maxLon, maxLat } = boxOf(ring);
  return [maxLon - minLon, maxLat - minLat];
}

/** Reads the pieces of blocks, at the highest zoom at which a box has no more than `most` tiles. */
async function readPieces(
  archiveUrl: string,
  box: Box,
  wanted: ReadonlySet<number>,
  most: number,
): Promise<{ readonly zoom: number; readonly pieces: ReadonlyMap<number, readonly Piece[]> }> {
  let zoom: number = TILE_ZOOMS.most;
  while (zoom > TILE_ZOOMS.blocks && tilesIn(box, zoom).length > most) zoom--;
  const pieces = new Map<number, Piece[]>();
  const read = new Set<string>();
  let tiles = tilesIn(box, zoom);
  while (tiles.length > 0) {
    for (const { x, y } of tiles) read.add(`${x} ${y}`);
    const beyond = new Map<string, TileAt>();
    for (const { x, y, extent, feature } of await readTiles(archiveUrl, tiles, ['blocks'])) {
      const geoid = Number(feature.properties.geoid);
      if (!wanted.has(geoid)) continue;
      const rings = feature.loadGeometry();
      pieces.set(geoid, [...(pieces.get(geoid) ?? []), { x, y, extent, rings }]);
      for (const [dx, dy] of crossed(rings, extent)) {
        const at = `${x + dx} ${y + dy}`;
        if (!read.has(at)) beyond.set(at, { zoom, x: x + dx, y: y + dy });
      }
    }
    tiles = [...beyond.values()];
  }
  return { zoom, pieces };
}

interface TilePoint {
  readonly x: number;
  readonly y: number;
}

/** The part of a block in a tile, with a margin around the tile. */
interface Piece {
  readonly x: number;
  readonly y: number;
  readonly extent: number;
  readonly rings: readonly (readonly TilePoint[])[];
}

/** Steps to the tiles that the rings extend into. */
function crossed(rings: Piece['rings'], extent: number): readonly (readonly [number, number])[] {
  const steps = new Set<number>();
  for (const { x, y } of rings.flat()) {
    const [dx, dy] = [x, y].map((at) => (at < 0 ? -1 : at > extent ? 1 : 0));
    if (dx !== 0) steps.add(dx * 3);
    if (dy !== 0) steps.add(dy);
    if (dx !== 0 && dy !== 0) steps.add(dx * 3 + dy);
  }
  return [...steps].map((step) => {
    const dx = Math.round(step / 3);
    return [dx, step - dx * 3] as const;
  });
}

/** The union of pieces of blocks, each clipped to its tile. */
function joinedPieces(pieces: readonly Piece[], zoom: number): Polygons {
  const rings = pieces.map(({ x, y, extent, rings }) =>
    rings.map((ring) =>
      cutToTile(ring, extent).map((point) => ({
        x: x * extent + point.x,
        y: y * extent + point.y,
      })),
    ),
  );
  const { firstRing, firstPoint, x, y } = dissolve([flat(rings)], 0);
  const world = pieces[0].extent * 2 ** zoom;
  const positionOf = (i: number): Position => [
    +lonOf(x[i] / world).toFixed(DECIMALS),
    +latOf(y[i] / world).toFixed(DECIMALS),
  ];
  return Array.from({ length: firstRing.length - 1 }, (_, area) =>
    Array.from({ length: firstRing[area + 1] - firstRing[area] }, (_, r) => {
      const [start, end] = firstPoint.subarray(firstRing[area] + r, firstRing[area] + r + 2);
      // Rows of tiles run south and degrees north, so the winding is reversed.
      const ring = Array.from({ length: end - start }, (_, i) => positionOf(end - 1 - i));
      return [...ring, ring[0]];
    }),
  );
}

function flat(areas: readonly (readonly (readonly TilePoint[])[])[]) {
  const rings = areas.flat();
  const points = rings.flat();
  let [ring, point] = [0, 0];
  const outlines: Rings = {
    firstRing: Uint32Array.from([0, ...areas.map((area) => (ring += area.length))]),
    firstPoint: Uint32Array.from([0, ...rings.map((one) => (point += one.length))]),
    x: Int32Array.from(points, (one) => one.x),
    y: Int32Array.from(points, (one) => one.y),
  };
  return { outlines, areas: Uint32Array.from(areas.keys()) };
}

/** Clips a ring to its tile, one side after the other (Sutherland and Hodgman, 1974). */
function cutToTile(closed: readonly TilePoint[], extent: number): readonly TilePoint[] {
  let ring = closed.slice(0, -1);
  for (const axis of ['x', 'y'] as const) {
    for (const [sign, limit] of [
      [1, extent],
      [-1, 0],
    ]) {
      const isIn = (point: TilePoint) => sign * (limit - point[axis]) >= 0;
      ring = ring.flatMap((point, i) => {
        const before = ring.at(i - 1)!;
        const cut = isIn(before) === isIn(point) ? [] : [crossing(before, point, axis, limit)];
        return isIn(point) ? [...cut, point] : cut;
      });
    }
  }
  return ring;
}

/**
 * The point where an edge meets a line; the same for both directions of the edge, so that pieces
 * meet.
 */
function crossing(a: TilePoint, b: TilePoint, axis: 'x' | 'y', limit: number): TilePoint {
  const [from, to] = a[axis] < b[axis] ? [a, b] : [b, a];
  const other = axis === 'x' ? 'y' : 'x';
  const share = (limit - from[axis]) / (to[axis] - from[axis]);
  const at = Math.round(from[other] + share * (to[other] - from[other]));
  return axis === 'x' ? { x: limit, y: at } : { x: at, y: limit };
}
