import { EdgeSet } from '../../shards/geometry/edge-set.ts';
import { nestRings } from '../../shards/geometry/nest-rings.ts';
import { walkRings } from '../../shards/geometry/ring-walk.ts';
import type { Rings } from '../../shards/geometry/rings.ts';
import { BAND_ENDS, BANDS } from '../../shards/pmtiles/time-bands.ts';
import type { VectorLayer } from '../../shards/pmtiles/writer.ts';
import { type Arcs, OUTSIDE, pushAlong, pushBack } from './block-arcs.ts';
import { cutIntoTiles, type TileRange } from './cut-into-tiles.ts';
import { EXTENT } from './fit-to-zoom.ts';
import { TileGrid } from './tile-grid.ts';
import { PolygonGeometry, VectorTile } from './vector-tile.ts';

export const BAND_LAYER: VectorLayer = {
  id: 'bands',
  description:
    'Areas where the nearest is within this many minutes, but not within the previous band.',
  fields: { minutes: 'Number' },
};

/** A county's arcs, fitted to a zoom, and the bands of its blocks for one mode and type. */
export interface BandMap {
  readonly arcs: Arcs;
  readonly bands: Uint8Array;
}

export interface DrawnTile {
  readonly x: number;
  readonly y: number;
  readonly bytes: Uint8Array;
}

const keepHoles = (): boolean => false;

/**
 * Draws bands. They do not overlap, so that a map that fills them with a translucent colour shows
 * exactly that colour, and the union of all up to some minutes is the area within those minutes.
 * The border of a band consists of the arcs that have it on only one side; those of neighbouring
 * counties cancel where they meet in the same band.
 */
export class BandPainter {
  readonly #edges = Array.from({ length: BANDS + 1 }, () => new EdgeSet());

  /** The tiles of a range that bands reach into. */
  draw(maps: readonly BandMap[], range: TileRange): DrawnTile[] {
    for (const edges of this.#edges) edges.clear();
    for (const map of maps) this.#addBorders(map);
    const grid = new TileGrid(range, () => BAND_ENDS.map(() => new PolygonGeometry()));
    for (let band = 1; band <= BANDS; band++) {
      cutIntoTiles(this.#polygons(band), range, (x, y, ring) => {
        grid.at(x, y)[band - 1].addRing(ring, x * EXTENT, y * EXTENT);
      });
    }
    const drawn: DrawnTile[] = [];
    for (const { x, y, value: geometries } of grid.entries()) {
      const tile = new VectorTile(BAND_LAYER.id);
      geometries.forEach((geometry, i) => {
        tile.addFeature(geometry, { minutes: BAND_ENDS[i] });
      });
      if (tile.inSight) drawn.push({ x, y, bytes: tile.encode() });
    }
    return drawn;
  }

  #polygons(band: number): Rings {
    const edges = this.#edges[band];
    edges.cancelOpposites();
    return nestRings(walkRings(edges), keepHoles);
  }

  #addBorders({ arcs, bands }: BandMap): void {
    const { count, firstPoint, inside, outside } = arcs;
    for (let arc = 0; arc < count; arc++) {
      const left = bands[inside[arc]];
      const right = outside[arc] === OUTSIDE ? 0 : bands[outside[arc]];
      if (left === right) continue;
      const [start, end] = [firstPoint[arc], firstPoint[arc + 1]];
      if (left !== 0) pushAlong(this.#edges[left], arcs, start, end);
      if (right !== 0) pushBack(this.#edges[right], arcs, start, end);
    }
  }
}
