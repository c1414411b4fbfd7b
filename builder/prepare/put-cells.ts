import type { WritableStore } from '../../shards/store/store.ts';
import { putObject } from '../publish/put-object.ts';
import type { Piles } from './piles.ts';
import type { PreparedCells } from './prepared-cells.ts';

/**
 * Puts into the store what is made of each cell's pile, cell by cell; nothing of those of which that
 * is nothing. As JSON, in which numbers stay exactly what they are.
 */
export async function putCells<Item>(
  store: WritableStore,
  stem: string,
  piles: Piles<number, Item>,
  made: (items: Item[], cell: number) => readonly unknown[],
): Promise<PreparedCells> {
  const prepared: PreparedCells = {};
  for (const cell of piles.keys.sort((a, b) => a - b)) {
    const items = made(await piles.take(cell), cell);
    if (items.length === 0) continue;
    const bytes = Buffer.from(JSON.stringify(items));
    prepared[cell] = await putObject(store, `${stem}-${cell}`, 'json', bytes);
  }
  return prepared;
}
