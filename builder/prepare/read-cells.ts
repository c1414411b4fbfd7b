import { z } from 'zod';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { MapCells } from '../geo/map-cells.ts';

/** Where what was parted by cells of the map lies in a store: of each cell that has any, by its number. */
export const preparedCellsSchema = z.record(z.string(), objectRefSchema);
export type PreparedCells = z.infer<typeof preparedCellsSchema>;

/** What lies in the cells that a box touches, ascending by cell. */
export function objectsNear(prepared: PreparedCells, box: BoundingBox): ObjectRef[] {
  const near = MapCells.of(box);
  const cells = Object.keys(prepared).map(Number);
  return cells
    .filter((cell) => near.has(cell))
    .sort((a, b) => a - b)
    .map((cell) => prepared[cell]);
}

/** The same of what `putCells` has put there, one by one. */
export async function* readNear<Item>(
  store: Store,
  prepared: PreparedCells,
  box: BoundingBox,
): AsyncGenerator<Item> {
  for (const ref of objectsNear(prepared, box)) {
    // By its hash it is what this program has written.
    const bytes = await readVerified(store, ref);
    yield* JSON.parse(Buffer.from(bytes).toString()) as Item[];
  }
}
