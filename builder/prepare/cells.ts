import { z } from 'zod';
import { boxSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { putJson, readJson } from '../publish/put-object.ts';
import type { Partitions } from './partitions.ts';

/** References to objects in a store by cell number; empty cells are absent. */
export const preparedCellsSchema = z.record(z.string(), objectRefSchema);
export type PreparedCells = z.infer<typeof preparedCellsSchema>;

export const wideAreaSchema = z.strictObject({ box: boxSchema, object: objectRefSchema });

/** The objects of the cells that a box touches, ascending by cell. */
export function objectsNear(prepared: PreparedCells, box: BoundingBox): ObjectRef[] {
  const near = CellRectangle.of(box);
  const cells = Object.keys(prepared).map(Number);
  return cells
    .filter((cell) => near.has(cell))
    .sort((a, b) => a - b)
    .map((cell) => prepared[cell]);
}

/** Yields the items in the objects of the cells that a box touches, as written by `putCells`. */
export async function* readNear<Item>(
  store: Store,
  prepared: PreparedCells,
  box: BoundingBox,
): AsyncGenerator<Item> {
  for (const ref of objectsNear(prepared, box)) {
    yield* await readJson<Item[]>(store, ref);
  }
}

/**
 * Puts the items of each cell into the store, cell by cell, as an object of JSON, which preserves
 * numbers exactly. Empty cells get no object.
 */
export async function putCells<Item>(
  store: WritableStore,
  stem: string,
  partitions: Partitions<number, Item>,
  encode: (items: Item[], cell: number) => readonly unknown[],
): Promise<PreparedCells> {
  const prepared: PreparedCells = {};
  for (const cell of partitions.keys.sort((a, b) => a - b)) {
    const items = encode(await partitions.take(cell), cell);
    if (items.length === 0) continue;
    prepared[cell] = await putJson(store, `${stem}-${cell}`, items);
  }
  return prepared;
}
