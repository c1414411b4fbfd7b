import { z } from 'zod';
import { boxSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { CellRectangle } from '../geo/cell-rectangle.ts';
import { readJson } from '../publish/put-object.ts';

/** References to objects in a store by cell number; empty cells are absent. */
export const preparedCellsSchema = z.record(z.string(), objectRefSchema);
export type PreparedCells = z.infer<typeof preparedCellsSchema>;

/** The box and the object of an area that covers many cells. */
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
