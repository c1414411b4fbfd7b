import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import type { BlockIndex } from '../../shards/blocks/block-index.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { EdgeSet } from '../../shards/geometry/edge-set.ts';
import { nestRings } from '../../shards/geometry/nest-rings.ts';
import { walkRings } from '../../shards/geometry/ring-walk.ts';
import type { VectorLayer } from '../../shards/pmtiles/writer.ts';
import type { CountyBlock } from '../../shards/units.ts';
import { type Arcs, OUTSIDE, pushAlong, pushBack } from './block-arcs.ts';
import type { TileRange } from './cut-into-tiles.ts';
import { type DrawnTile, polygonPieces, TileGrid, tilesInSight } from './tile-grid.ts';
import type { PyramidCounty } from './tile-pyramids.ts';
import { TileLayer } from './vector-tile.ts';

/** First zoom at which blocks are drawn; below it, a block is only a few pixels. */
export const MIN_BLOCK_ZOOM = 11;

export const BLOCK_LAYER: VectorLayer = {
  id: 'blocks',
  description:
    'Census blocks of 2020 that have land. A feature’s id is its GEOID as a number. `unlinked`: street modes whose streets are not near its centre, such as `walk,bike`.',
  fields: { geoid: 'String', population: 'Number', unlinked: 'String' },
};

/**
 * Draws the tiles of a range with their land blocks. `arcs` are those of each county, fitted to the
 * zoom.
 */
export function drawBlocks(
  counties: readonly PyramidCounty[],
  arcs: readonly Arcs[],
  range: TileRange,
): DrawnTile[] {
  const tiles = new TileGrid(range, () => new TileLayer(BLOCK_LAYER.id));
  const edges = new EdgeSet();
  counties.forEach(({ index, isNear }, i) => {
    const arcsOfBlock = new ArcsOfBlocks(arcs[i], index.count);
    for (let block = 0; block < index.count; block++) {
      if (isNear[block] === 0 || index.landArea(block) === 0) continue;
      edges.clear();
      arcsOfBlock.push(block, edges);
      edges.cancelOpposites();
      const polygons = nestRings(walkRings(edges), () => false);
      const geoid = index.geoids[block];
      const properties = {
        geoid: geoidFromNumber(geoid),
        population: index.population(block),
        unlinked: unlinkedModes(index, block),
      };
      for (const { x, y, value: geometry } of polygonPieces(polygons, range).entries()) {
        tiles.at(x, y).addFeature(geometry, properties, geoid);
      }
    }
  });
  return tilesInSight(tiles);
}

/** The street modes that have no link for a block, separated by commas; null if there are none. */
function unlinkedModes(index: BlockIndex, block: CountyBlock): string | null {
  if (index.isFullyRoutable(block)) return null;
  return index.linkModes.filter((mode) => index.link(block, mode).status !== 'linked').join(',');
}

class ArcsOfBlocks {
  readonly #arcs: Arcs;
  readonly #first: Uint32Array;
  readonly #list: Uint32Array;

  constructor(arcs: Arcs, blocks: number) {
    this.#arcs = arcs;
    this.#first = new Uint32Array(blocks + 1);
    const { inside, outside, count } = arcs;
    for (let arc = 0; arc < count; arc++) {
      this.#first[inside[arc] + 1]++;
      if (outside[arc] !== OUTSIDE) this.#first[outside[arc] + 1]++;
    }
    this.#list = new Uint32Array(sumCounts(this.#first));
    const next = this.#first.slice();
    for (let arc = 0; arc < count; arc++) {
      this.#list[next[inside[arc]]++] = arc;
      if (outside[arc] !== OUTSIDE) this.#list[next[outside[arc]]++] = arc;
    }
  }

  push(block: number, edges: EdgeSet): void {
    const { firstPoint, inside } = this.#arcs;
    for (let i = this.#first[block]; i < this.#first[block + 1]; i++) {
      const arc = this.#list[i];
      const push = inside[arc] === block ? pushAlong : pushBack;
      push(edges, this.#arcs, firstPoint[arc], firstPoint[arc + 1]);
    }
  }
}
