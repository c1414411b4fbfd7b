import type { Box } from './coloured-blocks.ts';

/** MapLibre's tiles are 512 pixels wide. */
export const WORLD_PX = 512;

/**
 * Returns the box that a map of the given size in pixels shows around its centre, in Web Mercator.
 */
export function seenBox(
  { zoom, lat, lon }: { readonly zoom: number; readonly lat: number; readonly lon: number },
  width: number,
  height: number,
): Box {
  const world = WORLD_PX * 2 ** zoom;
  const halfLon = (width / 2 / world) * 360;
  const y = Math.asinh(Math.tan((lat * Math.PI) / 180));
  const halfY = (height / 2 / world) * 2 * Math.PI;
  const latAt = (at: number) => (Math.atan(Math.sinh(at)) * 180) / Math.PI;
  return [lon - halfLon, latAt(y - halfY), lon + halfLon, latAt(y + halfY)];
}
