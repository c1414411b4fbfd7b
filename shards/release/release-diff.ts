import type { GeoidNumber } from '../geoid.ts';
import { Matrix } from '../matrix/matrix.ts';
import type { ModeRow } from '../matrix/row-codec.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import type { CountyFips, DestId, Tenths } from '../units.ts';
import { COUNTY_OBJECT_KINDS, type CountyObjectKind, type Manifest } from './manifest.ts';

/** Differences of a county's POI time rows between two releases. */
interface RowsMoved {
  rows: number;
  /** Rows in both releases whose time differs. */
  moved: number;
  /** Rows only in the later release; `gone` counts rows only in the earlier one. */
  added: number;
  gone: number;
  /** Sum of time changes (later minus earlier) over all moved rows. */
  sum: Tenths;
  /** The row that changed most (later minus earlier); null if no row changed. */
  worst: {
    readonly by: Tenths;
    readonly block: GeoidNumber;
    readonly dest: DestId;
    readonly mode: string;
  } | null;
}

export type CountyDiff =
  | { readonly county: CountyFips; readonly status: 'added' | 'gone' }
  | {
      readonly county: CountyFips;
      readonly status: 'changed';
      readonly kinds: readonly CountyObjectKind[];
      /** Null if the rows are identical. */
      readonly rows: RowsMoved | null;
    };

/**
 * Yields how a release differs from an earlier one of the same store, county by county, ascending;
 * unchanged counties are left out. Only rows of counties whose times changed are read, one at a
 * time.
 */
export async function* diffReleases(
  store: Store,
  before: Manifest,
  after: Manifest,
): AsyncGenerator<CountyDiff> {
  const all = new Set([...Object.keys(before.counties), ...Object.keys(after.counties)]);
  for (const county of [...all].sort()) {
    const [was, is] = [before.counties[county], after.counties[county]];
    if (!was || !is) {
      yield { county, status: was ? 'gone' : 'added' };
      continue;
    }
    const kinds = COUNTY_OBJECT_KINDS.filter(
      (kind) => was.objects[kind]?.sha256 !== is.objects[kind]?.sha256,
    );
    if (kinds.length === 0) continue;
    const rows = kinds.includes('pois')
      ? await diffRows(
          { store, ref: was.objects.pois, modes: before.modes },
          { store, ref: is.objects.pois, modes: after.modes },
        )
      : null;
    yield { county, status: 'changed', kinds, rows };
  }
}

interface Rows {
  readonly store: Store;
  readonly ref: ObjectRef;
  readonly modes: readonly string[];
}

async function diffRows(before: Rows, after: Rows): Promise<RowsMoved> {
  const [was, is] = [
    await Matrix.open(before.store, before.ref),
    await Matrix.open(after.store, after.ref),
  ];
  const found: RowsMoved = { rows: 0, moved: 0, added: 0, gone: 0, sum: 0, worst: null };
  const modes = [...new Set([...before.modes, ...after.modes])];
  const [old, young] = [was.rows(), is.rows()];
  let [a, b] = [await old.next(), await young.next()];
  while (!a.done || !b.done) {
    const [from, to] = [
      a.done ? Number.POSITIVE_INFINITY : was.origins[a.value.ordinal],
      b.done ? Number.POSITIVE_INFINITY : is.origins[b.value.ordinal],
    ];
    const block = Math.min(from, to);
    const [aRow, bRow] = [from === block ? a.value : null, to === block ? b.value : null];
    for (const mode of modes) {
      const earlier = { ids: was.targets, row: aRow?.modes[before.modes.indexOf(mode)] };
      const later = { ids: is.targets, row: bRow?.modes[after.modes.indexOf(mode)] };
      compare(earlier, later, { block, mode }, found);
    }
    if (aRow) a = await old.next();
    if (bRow) b = await young.next();
  }
  return found;
}

/** One mode of a block's row; ids ascend. */
interface Side {
  readonly ids: Float64Array;
  readonly row: ModeRow | undefined;
}

function compare(
  earlier: Side,
  later: Side,
  where: { readonly block: GeoidNumber; readonly mode: string },
  found: RowsMoved,
): void {
  const idAt = ({ ids, row }: Side, i: number) =>
    row && i < row.targets.length ? ids[row.targets[i]] : Number.POSITIVE_INFINITY;
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [idAt(earlier, i), idAt(later, j)];
    const dest = Math.min(a, b);
    if (dest === Number.POSITIVE_INFINITY) return;
    if (a !== b) {
      if (a < b) found.gone++;
      else found.added++;
    } else {
      found.rows++;
      const by = later.row!.times[j] - earlier.row!.times[i];
      if (by !== 0) {
        found.moved++;
        found.sum += by;
        if (Math.abs(by) > Math.abs(found.worst?.by ?? 0)) found.worst = { by, dest, ...where };
      }
    }
    if (a === dest) i++;
    if (b === dest) j++;
  }
}
