import { bandOf } from '../../shards/bands/time-bands.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { decodeNearestRow, nearestRange } from '../../shards/nearest/nearest.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { BuildError } from '../errors.ts';
import { type Arcs, arcsOf } from './block-arcs.ts';

/** The objects of a county that tiles are drawn from; without `catchment`, no POIs are drawn. */
export type TileObjects = Pick<CountyManifest['objects'], 'index' | 'nearest' | 'blocks'> &
  Partial<Pick<CountyManifest['objects'], 'catchment'>>;

/** The data of one county that tiles are drawn from. Blocks are numbered as in its index. */
export interface TileCounty {
  readonly index: BlockIndex;
  readonly arcs: Arcs;
  /**
   * The band of each block for each column of the `nearest` object, at column × blocks + block; 0
   * beyond the last band.
   */
  readonly bands: Uint8Array;
}

/** Reads a county's finished objects. Throws a `BuildError` if they do not match. */
export async function openTileCounty(
  store: Store,
  objects: TileObjects,
  columns: number,
): Promise<TileCounty> {
  const whole = (ref: ObjectRef) => readVerified(store, ref);
  const index = BlockIndex.decode(objects.index.name, await whole(objects.index));
  const outlines = readOutlines(objects.blocks.name, await whole(objects.blocks));
  const stray = index.geoids.findIndex((geoid, i) => outlines.geoids[i] !== geoid);
  if (stray !== -1 || outlines.geoids.length !== index.count) {
    const geoid = geoidFromNumber(index.geoids[Math.max(0, stray)]);
    throw new BuildError(
      `${objects.blocks.name}: its blocks differ from those of ${objects.index.name} (block ${geoid}); build the county again`,
    );
  }
  const nearest = await whole(objects.nearest);
  const bands = readBands(objects.nearest.name, nearest, index.count, columns);
  return { index, arcs: arcsOf(outlines), bands };
}

/**
 * Reads the band of each block for each column from the bytes of a `nearest` object, at column ×
 * blocks + block; 0 beyond the last band.
 */
export function readBands(
  object: string,
  nearest: Uint8Array,
  blocks: number,
  columns: number,
): Uint8Array {
  const bands = new Uint8Array(columns * blocks);
  for (let block = 0; block < blocks; block++) {
    const { offset, length } = nearestRange(block, columns);
    const bytes = nearest.subarray(offset, offset + length);
    const times = decodeNearestRow(object, block, bytes, columns);
    for (let c = 0; c < columns; c++) {
      bands[c * blocks + block] = bandOf(times[c]);
    }
  }
  return bands;
}
