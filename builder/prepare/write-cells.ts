import type { WritableStore } from '../../shards/store/store.ts';
import { putObject } from '../publish/put-object.ts';
import type { Partitions } from './partitions.ts';
import type { PreparedCells } from './read-cells.ts';

/**
 * Puts an object for each cell's group into the store, cell by cell, unless it is empty. As JSON,
 * which preserves numbers exactly.
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
    const bytes = Buffer.from(JSON.stringify(items));
    prepared[cell] = await putObject(store, `${stem}-${cell}`, 'json', bytes);
  }
  return prepared;
}
