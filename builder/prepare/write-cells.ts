import type { WritableStore } from '../../shards/store/store.ts';
import { putJson } from '../publish/put-object.ts';
import type { Partitions } from './partitions.ts';
import type { PreparedCells } from './read-cells.ts';

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
