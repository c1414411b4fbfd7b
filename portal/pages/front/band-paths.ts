import { BAND_ENDS } from '../../../shards/bands/time-bands.ts';
import { latOf, lonOf } from '../../../shards/geometry/web-mercator.ts';
import { readTiles, TILE_ZOOMS, tilesIn } from '../map/tiles/vector-tiles.ts';
import type { Drawing } from './outline.ts';

/** Maximum size at which a tile is drawn. */
const TILE_SIZE = 512;

/**
 * Reads the time bands that a picture shows, from the archive of a mode and type. Returns the `d`
 * of an SVG path for each class, empty for a class without bands. The paths have to be filled with
 * the nonzero rule, since the polygons of neighbouring tiles overlap in their buffers.
 */
export async function bandPaths(archiveUrl: string, drawing: Drawing): Promise<readonly string[]> {
  const paths = BAND_ENDS.map(() => '');
  const tiles = tilesIn(drawing.bounds, zoomFor(drawing));
  for (const { zoom, x, y, extent, feature } of await readTiles(archiveUrl, tiles, ['bands'])) {
    const band = BAND_ENDS.indexOf(Number(feature.properties.minutes));
    if (band === -1) continue;
    const at = (part: { readonly x: number; readonly y: number }) => {
      const lon = lonOf((x + part.x / extent) / 2 ** zoom);
      const [left, top] = drawing.place(lon, latOf((y + part.y / extent) / 2 ** zoom));
      return `${left.toFixed(1)} ${top.toFixed(1)}`;
    };
    for (const ring of feature.loadGeometry()) paths[band] += `M${ring.map(at).join('L')}Z`;
  }
  return paths;
}

/**
 * Returns the lowest zoom whose tiles are drawn no larger than `TILE_SIZE`, within those of the
 * bands.
 */
function zoomFor({ perDegreeEast }: Drawing): number {
  const zoom = Math.ceil(Math.log2((360 * perDegreeEast) / TILE_SIZE));
  return Math.min(TILE_ZOOMS.most, Math.max(TILE_ZOOMS.bands, zoom));
}
