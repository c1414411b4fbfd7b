import { concat } from '../../shards/arrays/concat.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { type EncodedRows, MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import type { ModeBases, TimeUnit } from '../../shards/matrix/row-codec.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { putObject } from '../publish/put-object.ts';
import { transpose } from './transpose.ts';
import type { TransposePool } from './transpose-pool.ts';

export interface TransposedMatrix {
  readonly county: CountyFips;
  /** Ids of the origins of the matrix, ascending, which are targets of the sources. */
  readonly origins: Float64Array;
  readonly attributes?: Uint8Array;
  /** Matrices that may contain these targets, in the order of the counties. */
  readonly sources: readonly ObjectRef[];
}

interface TransposeOptions {
  /** Folder of the objects. */
  readonly kind: 'reach-to' | 'catchment';
  readonly modes: number;
  readonly bases: ModeBases;
  readonly unit: TimeUnit;
  readonly memory: Bytes;
  readonly scratch: string;
}

/**
 * Creates the transposed matrices of several counties in one pass over their sources; `onMade` is
 * called for each matrix as soon as it is stored.
 */
export async function transposeCounties(
  store: WritableStore,
  pool: TransposePool,
  matrices: readonly TransposedMatrix[],
  options: TransposeOptions,
  onMade: (matrix: TransposedMatrix, object: ObjectRef) => Promise<void>,
  onDone: (rows: number) => void,
): Promise<void> {
  if (matrices.length === 0) return;
  const { kind, modes, bases, unit, scratch } = options;
  const sources = distinct(matrices.flatMap((matrix) => matrix.sources));
  const originsOf = new Map<string, Float64Array>();
  for (const ref of sources) originsOf.set(ref.name, (await Matrix.open(store, ref)).origins);
  const parts = matrices.map((matrix) => {
    const names = new Set(matrix.sources.map(({ name }) => name));
    return {
      ...matrix,
      stem: `${kind}/${matrix.county}`,
      ordinals: () => ordinalsOf(sources, originsOf, names),
    };
  });
  let next = 0;
  let writing: { spool: Spool; writer: MatrixWriter } | null = null;
  const open = () => {
    const { county, stem, origins, attributes, sources: own } = parts[next];
    const targets = concat(own.map(({ name }) => originsOf.get(name)!));
    const spool = new Spool(`${scratch}/${kind}-${county}`);
    const shape = { origins, targets, modes, bases, unit, ...(attributes && { attributes }) };
    return { spool, writer: new MatrixWriter(stem, shape, spool) };
  };
  const onRows = async (rows: EncodedRows, areLast: boolean) => {
    writing ??= open();
    writing.writer.append(rows);
    if (!areLast) return;
    const { stem } = parts[next];
    const matrix = matrices[next++];
    await onMade(matrix, await putObject(store, stem, 'tta', writing.writer.finish()));
    writing.spool.close();
    writing = null;
  };
  try {
    await transpose(store, pool, { ...options, sources, parts }, onRows, onDone);
  } finally {
    (writing as { spool: Spool } | null)?.spool.close();
  }
}

function distinct(refs: readonly ObjectRef[]): ObjectRef[] {
  const byName = new Map(refs.map((ref) => [ref.name, ref]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Maps ordinals among the origins of all sources to ordinals among those of the chosen sources, or
 * -1.
 */
function ordinalsOf(
  sources: readonly ObjectRef[],
  originsOf: ReadonlyMap<string, Float64Array>,
  chosen: ReadonlySet<string>,
): Int32Array {
  const counts = sources.map(({ name }) => originsOf.get(name)!.length);
  const ordinals = new Int32Array(counts.reduce((a, b) => a + b, 0)).fill(-1);
  let [all, some] = [0, 0];
  sources.forEach(({ name }, i) => {
    for (let k = 0; k < counts[i]; k++, all++) if (chosen.has(name)) ordinals[all] = some++;
  });
  return ordinals;
}
