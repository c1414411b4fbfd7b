import Flatbush from 'flatbush';
import { worldCell } from '../geometry/hilbert.ts';
import type { PoiTable } from './poi-table.ts';

/** Where the POIs of a county lie, for searches by place. */
export interface SpatialOrder {
  /** Over the POIs' points, micro-degrees; null where there are none. */
  readonly tree: Flatbush | null;
  /** The cell of the world that each POI lies in. */
  readonly cell: Uint32Array;
  /** Each POI's position by cell, then `dest_id`: the order of searches, in every release. */
  readonly rank: Uint32Array;
  /** The POIs by their rank. */
  readonly byRank: Uint32Array;
}

/** POIs between two steps of `spatialOrderSteps`. */
const POIS_A_STEP = 1 << 13;

/** Finds where POIs lie, in steps of a few milliseconds. */
export function* spatialOrderSteps({
  count,
  lon,
  lat,
}: PoiTable): Generator<undefined, SpatialOrder, undefined> {
  const tree = count === 0 ? null : new Flatbush(count);
  const cell = new Uint32Array(count);
  // POIs are in the order of their `dest_id`.
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    cell[i] = worldCell(lon[i], lat[i]);
    keys[i] = cell[i] * count + i;
    tree!.add(lon[i], lat[i], lon[i], lat[i]);
    if (i % POIS_A_STEP === POIS_A_STEP - 1) yield;
  }
  tree?.finish();
  yield;
  keys.sort();
  yield;
  const [rank, byRank] = [new Uint32Array(count), new Uint32Array(count)];
  for (let position = 0; position < count; position++) {
    const ordinal = keys[position] % count;
    byRank[position] = ordinal;
    rank[ordinal] = position;
  }
  return { tree, cell, rank, byRank };
}
