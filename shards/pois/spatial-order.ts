import Flatbush from 'flatbush';
import { worldCell } from '../geometry/hilbert.ts';
import type { PoiTable } from './poi-table.ts';

/** Locations of a county's POIs, for spatial searches. */
export interface SpatialOrder {
  /** Index over the POIs' points in micro-degrees; null if there are no POIs. */
  readonly tree: Flatbush | null;
  /** World grid cell of each POI. */
  readonly cell: Uint32Array;
  /** Rank of each POI by cell, then `dest_id`: the order of search results, in every release. */
  readonly rank: Uint32Array;
  /** POIs by rank. */
  readonly byRank: Uint32Array;
}

/** POIs per step of `spatialOrderSteps`. */
const POIS_PER_STEP = 1 << 13;

/** Builds the spatial order of POIs, in steps of a few milliseconds. */
export function* spatialOrderSteps({
  count,
  lon,
  lat,
}: PoiTable): Generator<undefined, SpatialOrder, undefined> {
  const tree = count === 0 ? null : new Flatbush(count);
  const cell = new Uint32Array(count);
  // POIs are already in `dest_id` order.
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    cell[i] = worldCell(lon[i], lat[i]);
    keys[i] = cell[i] * count + i;
    tree!.add(lon[i], lat[i], lon[i], lat[i]);
    if (i % POIS_PER_STEP === POIS_PER_STEP - 1) yield;
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
