import { Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import type { ModeRow, TimeUnit } from '../../shards/matrix/row-codec.ts';
import { Spool } from '../../shards/spool.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { putObject } from '../publish/put-object.ts';
import { transpose } from './transpose.ts';

/** A county's transposed matrix, to be made. */
export interface TransposedMatrix {
  readonly county: CountyFips;
  /** Ids of its origins, ascending: what were targets. */
  readonly origins: Float64Array;
  readonly attributes?: Uint8Array;
  /** Matrices in which they can occur, in the order of the counties. */
  readonly sources: readonly ObjectRef[];
}

export interface TransposeOptions {
  /** Folder of the objects. */
  readonly kind: 'reach-to' | 'catchment';
  readonly modes: number;
  readonly unit: TimeUnit;
  readonly memory: Bytes;
  readonly scratch: string;
}

/** Makes the transposed matrices of several counties in one go over their sources. */
export async function transposeCounties(
  store: WritableStore,
  matrices: readonly TransposedMatrix[],
  options: TransposeOptions,
  onOrigins: (done: number) => void,
): Promise<Map<CountyFips, ObjectRef>> {
  const made = new Map<CountyFips, ObjectRef>();
  if (matrices.length === 0) return made;
  const sources = distinct(matrices.flatMap((matrix) => matrix.sources));
  const originsOf = new Map<string, Float64Array>();
  for (const ref of sources) originsOf.set(ref.name, (await Matrix.open(store, ref)).origins);
  const rows = transpose(
    store,
    { ...options, sources, targets: joined(matrices.map((matrix) => matrix.origins)) },
    onOrigins,
  );
  let next = await rows.next();
  let firstTarget = 0;
  for (const { county, origins, attributes, sources: own } of matrices) {
    const names = new Set(own.map(({ name }) => name));
    const targets = joined(own.map(({ name }) => originsOf.get(name)!));
    const ordinals = ordinalsOf(sources, originsOf, names);
    const spool = new Spool(`${options.scratch}/${options.kind}-${county}`);
    try {
      const { modes, unit } = options;
      const writer = new MatrixWriter(
        { origins, targets, modes, unit, ...(attributes && { attributes }) },
        spool,
      );
      const nobody: ModeRow[] = Array.from({ length: modes }, () => ({
        targets: new Uint32Array(0),
        times: new Uint16Array(0),
      }));
      for (let origin = 0; origin < origins.length; origin++) {
        if (next.done || next.value.target !== firstTarget + origin) {
          writer.row(nobody);
          continue;
        }
        writer.row(next.value.modes.map((row) => renumber(row, ordinals)));
        next = await rows.next();
      }
      const stem = `${options.kind}/${county}`;
      made.set(county, await putObject(store, stem, 'tta', writer.finish()));
    } finally {
      spool.close();
    }
    firstTarget += origins.length;
  }
  return made;
}

function distinct(refs: readonly ObjectRef[]): ObjectRef[] {
  const byName = new Map(refs.map((ref) => [ref.name, ref]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function joined(arrays: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

/** From places among the origins of all sources to places among those of some, or -1. */
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

function renumber({ targets, times }: ModeRow, ordinals: Int32Array): ModeRow {
  const renumbered = new Uint32Array(targets.length);
  for (let i = 0; i < targets.length; i++) {
    const ordinal = ordinals[targets[i]];
    if (ordinal < 0) throw new Error('a row of the transposition has an origin out of its sources');
    renumbered[i] = ordinal;
  }
  return { targets: renumbered, times };
}
