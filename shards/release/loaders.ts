import Flatbush from 'flatbush';
import { AddressDirectory } from '../addresses/address-directory.ts';
import { BlockIndex } from '../blocks/block-index.ts';
import type { Turns } from '../concurrency/turns.ts';
import { ShardError } from '../errors.ts';
import { type Outlines, outlineSteps } from '../fgb/outlines.ts';
import { AreaIndex } from '../geometry/area-index.ts';
import { worldCell } from '../geometry/hilbert.ts';
import { Matrix } from '../matrix/matrix.ts';
import { openPoiMatrix, type PoiMatrix, type PoiTable } from '../pois/poi-table.ts';
import { readVerified } from '../store/recorded-hash.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { TransitTable } from '../transit/transit-table.ts';
import { WeightTable } from '../weights/weight-table.ts';
import type { CountyManifest } from './manifest.ts';
import type { CachedValue } from './release-cache.ts';

// Each function reads an object of a release whole, or its head, checks it against the manifest,
// and returns it, with its memory use unless it knows that itself. Each throws a `ShardError` if
// the object does not match.

/** The POIs with a given home county: their attributes, catchments and locations. */
export type Catchments = PoiMatrix & SpatialOrder;

export interface BlockAreas {
  readonly outlines: Outlines;
  readonly index: AreaIndex;
}

export async function loadIndex(
  store: Store,
  { blocks, objects: { index: ref } }: CountyManifest,
): Promise<BlockIndex> {
  const value = await BlockIndex.read(store, ref);
  if (value.count !== blocks) {
    throw new ShardError(ref.name, 'blocks', `${value.count} of ${blocks} blocks`);
  }
  return value;
}

export async function loadWeights(
  store: Store,
  ref: ObjectRef,
  blocks: number,
): Promise<WeightTable> {
  const value = await WeightTable.open(store, ref);
  if (value.blocks !== blocks) {
    throw new ShardError(ref.name, 'blocks', `${value.blocks} of ${blocks} blocks`);
  }
  return value;
}

export async function loadNthNearest(
  store: Store,
  { blocks, objects: { 'nth-nearest': ref } }: CountyManifest,
  modes: number,
): Promise<Matrix> {
  const value = await Matrix.open(store, ref);
  if (value.targets.length !== blocks || value.modes !== modes) {
    throw new ShardError(ref.name, 'shape', 'does not match the manifest');
  }
  return value;
}

export async function loadPois(
  store: Store,
  ref: ObjectRef,
  modes: number,
  turns: Turns,
): Promise<CachedValue<PoiMatrix>> {
  const value = await openPoiMatrix(store, ref, 'targets', turns);
  const { matrix, table } = value;
  if (matrix.modes !== modes) {
    throw new ShardError(ref.name, 'modes', 'are not those of the manifest');
  }
  return { value, bytes: matrix.byteLength + table.byteLength };
}

export async function loadCatchments(
  store: Store,
  ref: ObjectRef,
  turns: Turns,
): Promise<CachedValue<Catchments>> {
  const { matrix, table } = await openPoiMatrix(store, ref, 'origins', turns);
  const order = await turns.run(spatialOrderSteps(table));
  const bytes = matrix.byteLength + table.byteLength + table.count * 64;
  return { value: { matrix, table, ...order }, bytes };
}

export async function loadTransit(
  store: Store,
  ref: ObjectRef,
  blocks: number,
  turns: Turns,
): Promise<TransitTable> {
  const value = await TransitTable.open(store, ref, turns);
  if (value.counts.origins !== blocks) {
    throw new ShardError(ref.name, 'shape', 'does not match the manifest');
  }
  return value;
}

export async function loadAreas(
  store: Store,
  ref: ObjectRef,
  turns: Turns,
): Promise<CachedValue<BlockAreas>> {
  const { value: outlines } = await loadOutlines(store, ref, turns);
  await turns.yieldIfOverdue();
  const index = new AreaIndex(outlines);
  const bytes = outlines.x.length * 8 + outlines.geoids.length * 24 + index.byteLength;
  return { value: { outlines, index }, bytes };
}

export async function loadOutlines(
  store: Store,
  ref: ObjectRef,
  turns: Turns,
): Promise<CachedValue<Outlines>> {
  const whole = await readVerified(store, ref, turns);
  const value = await turns.run(outlineSteps(ref.name, whole));
  return { value, bytes: value.x.length * 8 };
}

export async function loadAddressDirectory(
  store: Store,
  ref: ObjectRef,
): Promise<CachedValue<AddressDirectory>> {
  const value = new AddressDirectory(ref.name, await readVerified(store, ref));
  return { value, bytes: 4 * ref.bytes };
}

interface SpatialOrder {
  /** Index over the POIs' points in micro-degrees; null if there are no POIs. */
  readonly tree: Flatbush | null;
  /** World grid cell of each POI. */
  readonly cell: Uint32Array;
  /** Rank of each POI by cell, then `dest_id`: the order of search results, in every release. */
  readonly rank: Uint32Array;
  readonly byRank: Uint32Array;
}

const POIS_PER_STEP = 1 << 13;

/** Builds the spatial order of POIs, in steps of a few milliseconds. */
function* spatialOrderSteps({
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
