import { BAND_ENDS, BANDS } from '../../shards/bands/time-bands.ts';
import type { VectorLayer } from '../../shards/pmtiles/writer.ts';
import type { Arcs } from './block-arcs.ts';
import { ClassAreas } from './class-areas.ts';
import { cutIntoTiles, type TileRange } from './cut-into-tiles.ts';
import { EXTENT } from './fit-to-zoom.ts';
import { PolygonGeometry } from './tile-geometry.ts';
import { TileGrid } from './tile-grid.ts';
import { encodeTile, TileLayer } from './vector-tile.ts';

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

export interface DrawnTile {
  readonly x: number;
  readonly y: number;
  readonly bytes: Uint8Array;
}

/**
 * Draws bands, which do not overlap, so that a map that fills them with a translucent colour shows
 * exactly that colour, and the union of all bands up to some minutes is the area within those
 * minutes.
 */
export class BandPainter {
  readonly #areas = new ClassAreas(BANDS);

  /** Draws the tiles of a range that bands reach into. */
  draw(maps: readonly BandMap[], range: TileRange): DrawnTile[] {
    const areas = this.#areas.of(maps.map(({ arcs, bands }) => ({ arcs, classes: bands })));
    const grid = new TileGrid(range, () => BAND_ENDS.map(() => new PolygonGeometry()));
    areas.forEach((polygons, band) => {
      cutIntoTiles(polygons, range, (x, y, ring) => {
        grid.at(x, y)[band].addRing(ring, x * EXTENT, y * EXTENT);
      });
    });
    const drawn: DrawnTile[] = [];
    for (const { x, y, value: geometries } of grid.entries()) {
      const tile = new TileLayer(BAND_LAYER.id);
      geometries.forEach((geometry, i) => {
        tile.addFeature(geometry, { minutes: BAND_ENDS[i] });
      });
      if (tile.inSight) drawn.push({ x, y, bytes: encodeTile([tile]) });
    }
    return drawn;
  }
}
