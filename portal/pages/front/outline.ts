import type { Polygon, Position } from '../../../shards/geometry/polygon.ts';
import { boxesAround } from '../../../shards/geometry/wgs84.ts';
import type { DataOf } from '../../client/src/index.ts';
import { type Frame, frameAt, positionOf } from '../map/tiles/frame.ts';

/** An outline prepared for drawing. */
export interface Drawing {
  /** The `d` of an SVG path, to be filled with the even-odd rule. */
  readonly path: string;
  /** The part of the world around it. */
  readonly frame: Frame;
}

/** Fits an outline into a picture, north up. Places across the antimeridian stay whole. */
export function drawOutline(
  { geometry }: Pick<DataOf<'getPlaceBoundary'>, 'geometry'>,
  { width, height }: { readonly width: number; readonly height: number },
): Drawing {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const rings = (polygons as unknown as readonly Polygon[]).flat();
  const boxes = boxesAround(rings.flat());
  const bounds = [
    boxes.at(-1)!.minLon,
    Math.min(...boxes.map(({ minLat }) => minLat)),
    boxes[0].maxLon + 360 * (boxes.length - 1),
    Math.max(...boxes.map(({ maxLat }) => maxLat)),
  ];
  const frame = frameAt(positionOf(bounds, width, height), width, height);
  const cornerOf = ([lon, lat]: Position) =>
    frame
      .placeOf({ lon, lat })
      .map((at) => at.toFixed(1))
      .join(' ');
  return { path: rings.map((ring) => `M${ring.map(cornerOf).join('L')}Z`).join(''), frame };
}
