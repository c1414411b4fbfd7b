import { latOf, lonOf, worldX, worldY } from '../../../../shards/geometry/web-mercator.ts';
import type { Point } from '../state/codecs.ts';
import type { MapPosition } from '../state/map-state.ts';
import type { Box, Place } from './vector-tiles.ts';

/** MapLibre's tiles are 512 pixels wide. */
const WORLD_PX = 512;
/** Length of the equator of WGS 84. */
const EQUATOR_METRES = 2 * Math.PI * 6_378_137;

/** Returns the box that a map of the given size in pixels shows around its centre. */
export function seenBox({ zoom, lat, lon }: MapPosition, width: number, height: number): Box {
  const world = WORLD_PX * 2 ** zoom;
  const [x, y, dx, dy] = [worldX(lon), worldY(lat), width / 2 / world, height / 2 / world];
  return [lonOf(x - dx), latOf(y + dy), lonOf(x + dx), latOf(y - dy)];
}

/** The part of the world that a picture shows, in Web Mercator. */
export interface Frame {
  readonly position: MapPosition;
  readonly width: number;
  readonly height: number;
  readonly box: Box;
  /** Length in pixels of a metre in the middle of the picture. */
  readonly perMetre: number;
  readonly place: Place;
  placeOf(point: Point): readonly [x: number, y: number];
  /** The inverse of `placeOf`. */
  pointAt(x: number, y: number): Point;
}

export function frameAt(position: MapPosition, width: number, height: number): Frame {
  const scale = WORLD_PX * 2 ** position.zoom;
  const [centreX, centreY] = [worldX(position.lon), worldY(position.lat)];
  const place: Place = (x, y) => {
    // The shorter way around the world: a picture may lie across the antimeridian.
    const east = x - centreX - Math.round(x - centreX);
    return [width / 2 + east * scale, height / 2 + (y - centreY) * scale];
  };
  return {
    position,
    width,
    height,
    box: seenBox(position, width, height),
    perMetre: scale / (EQUATOR_METRES * Math.cos((position.lat * Math.PI) / 180)),
    place,
    placeOf: ({ lat, lon }) => place(worldX(lon), worldY(lat)),
    pointAt: (x, y) => ({
      lat: latOf(centreY + (y - height / 2) / scale),
      lon: lonOf(centreX + (x - width / 2) / scale),
    }),
  };
}

/** Width in pixels of the margin around the bounds that a map shows at first. */
export const PADDING = 24;

/** Returns the position that shows all of some bounds. */
export function positionOf(
  [west, south, east, north]: readonly number[],
  width: number,
  height: number,
): MapPosition {
  const [spanX, spanY] = [worldX(east) - worldX(west), worldY(south) - worldY(north)];
  const most = Math.min((width - 2 * PADDING) / spanX, (height - 2 * PADDING) / spanY);
  const lat = latOf((worldY(south) + worldY(north)) / 2);
  return { zoom: Math.log2(most / WORLD_PX), lat, lon: (west + east) / 2 };
}
