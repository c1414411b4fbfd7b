import { BAND_ENDS, BANDS } from '../../shards/bands/time-bands.ts';
import type { VectorLayer } from '../../shards/pmtiles/writer.ts';
import type { Arcs } from './block-arcs.ts';
import { ClassAreas } from './class-areas.ts';
import type { TileRange } from './cut-into-tiles.ts';
import { type DrawnTile, polygonPieces, TileGrid, tilesInSight } from './tile-grid.ts';
import { TileLayer } from './vector-tile.ts';

export const BAND_LAYER: VectorLayer = {
  id: 'bands',
  description:
    'Areas where the nearest is within this many minutes, but not within the previous band.',
  fields: { minutes: 'Number' },
};

/** A county's arcs, fitted to a zoom, and the bands of its blocks for one mode and type. */
interface BandMap {
  readonly arcs: Arcs;
  readonly bands: Uint8Array;
}

/**
 * Draws bands, which do not overlap, so that a map that fills them with a translucent colour shows
 * exactly that colour, and the union of all bands up to some minutes is the area within those
 * minutes.
 */
export class BandPainter {
  readonly #areas = new ClassAreas(BANDS);

  draw(maps: readonly BandMap[], range: TileRange): DrawnTile[] {
    const areas = this.#areas.of(maps.map(({ arcs, bands }) => ({ arcs, classes: bands })));
    const tiles = new TileGrid(range, () => new TileLayer(BAND_LAYER.id));
    for (const [band, polygons] of areas.entries()) {
      for (const { x, y, value: geometry } of polygonPieces(polygons, range).entries()) {
        tiles.at(x, y).addFeature(geometry, { minutes: BAND_ENDS[band] });
      }
    }
    return tilesInSight(tiles);
  }
}
