import type { Turns } from '../concurrency/turns.ts';
import { ShardError } from '../errors.ts';
import { Matrix } from '../matrix/matrix.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { PoiTable } from './poi-table.ts';

/** Head of a matrix from or to POIs: the reachable POIs and their attributes. */
export interface PoiMatrix {
  readonly matrix: Matrix;
  readonly table: PoiTable;
}

/** Reads the head of a matrix whose given `side` is POIs. Two reads. */
export async function openPoiMatrix(
  store: Store,
  ref: ObjectRef,
  side: 'origins' | 'targets',
  turns: Turns,
): Promise<PoiMatrix> {
  const matrix = await Matrix.open(store, ref);
  const table = await turns.run(PoiTable.steps(ref.name, matrix.attributes));
  if (table.count !== matrix[side].length) {
    throw new ShardError(ref.name, 'ATTR', `does not match the dictionary of ${side}`);
  }
  return { matrix, table };
}
