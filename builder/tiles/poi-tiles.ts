import type { VectorLayer } from '../../shards/pmtiles/writer.ts';
import type { PoiMatrix } from '../../shards/pois/poi-table.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { WORLD_BITS, worldX, worldY } from '../geo/web-mercator.ts';
import type { TileRange } from './cut-into-tiles.ts';
import { EXTENT_BITS, MAX_TILE_ZOOM } from './fit-to-zoom.ts';
import { type DrawnTile, pointIn, TileGrid, tilesInSight } from './tile-grid.ts';
import { TileLayer } from './vector-tile.ts';

export const POI_LAYER: VectorLayer = {
  id: 'pois',
  description:
    'POIs of a type. A feature’s id is its `dest_id`; its name is in the last zoom only.',
  fields: { name: 'String' },
};

/** Draws the tiles of a range with the POIs of a type, by county, then id. */
export function drawPois(
  counties: readonly PoiMatrix[],
  type: DestTypeId,
  zoom: number,
  range: TileRange,
): DrawnTile[] {
  const tiles = new TileGrid(range, () => new TileLayer(POI_LAYER.id));
  const shift = WORLD_BITS - EXTENT_BITS - zoom;
  for (const { matrix, table } of counties) {
    const wanted = table.ofTypes([type]);
    for (let poi = 0; poi < table.count; poi++) {
      if (!wanted.has(poi)) continue;
      const [x, y] = [worldX(table.lon[poi]) >> shift, worldY(table.lat[poi]) >> shift];
      const point = pointIn(range, x, y);
      if (point === null) continue;
      const name = zoom === MAX_TILE_ZOOM ? table.name(poi) || null : null;
      const { tileX, tileY, geometry } = point;
      tiles.at(tileX, tileY).addFeature(geometry, { name }, matrix.origins[poi]);
    }
  }
  return tilesInSight(tiles);
}
