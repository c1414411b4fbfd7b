import { Matrix } from '../matrix/matrix.ts';
import { type ModeRow, TENTHS } from '../matrix/row-codec.ts';
import { MAX_NTH, nthNearestIds, typeAndNth } from '../nearest/nth-nearest.ts';
import type { PoiTable } from '../pois/poi-table.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef } from '../store/store.ts';
import type { Taxonomy } from '../taxonomy.ts';
import { EntrySums, hashIds, type IdHashes } from './entry-sums.ts';
import { type Finding, findFaults } from './finding.ts';
import { sameIds } from './row-rules.ts';

/** Digests of the times to the n-th nearest POI that follow from a county's POI rows. */
export class NthNearestSums {
  readonly ids: Float64Array;
  readonly blocks: Float64Array;
  readonly #idHashes: IdHashes;
  readonly #blockHashes: IdHashes;
  readonly #groups: Int32Array;
  readonly #sums: EntrySums;
  /** Per POI, the positions of its types and of all their ancestors. */
  readonly #typesOf: readonly (readonly number[])[];
  /** Per type, the lowest times so far, ascending. */
  readonly #least: readonly number[][];

  constructor({ origins }: Matrix, table: PoiTable, taxonomy: Taxonomy) {
    this.ids = nthNearestIds(taxonomy);
    this.blocks = origins;
    this.#idHashes = hashIds(this.ids, 'to');
    this.#blockHashes = hashIds(origins, 'from');
    this.#groups = Int32Array.from(this.ids.keys());
    this.#sums = new EntrySums(this.ids.length);
    this.#least = taxonomy.types.map(() => []);
    const leaves = taxonomy.types.map(({ dest_type_id }) => taxonomy.leavesOf(dest_type_id));
    this.#typesOf = Array.from({ length: table.count }, (_, poi) => {
      const own = table.types(poi);
      return [...leaves.keys()].filter((type) => leaves[type].some((leaf) => own.includes(leaf)));
    });
  }

  row(block: number, rows: readonly ModeRow[]): void {
    const found = rows.map((row) => this.#nthOf(row));
    this.#sums.add(this.#blockHashes, block, this.#idHashes, this.#groups, found);
  }

  #nthOf({ targets, times }: ModeRow): ModeRow {
    for (const list of this.#least) list.length = 0;
    for (let i = 0; i < targets.length; i++) {
      for (const type of this.#typesOf[targets[i]]) {
        insertIfLeast(this.#least[type], times[i]);
      }
    }
    const [rows, least]: [number[], number[]] = [[], []];
    for (let n = 0; n < MAX_NTH; n++) {
      for (const [type, list] of this.#least.entries()) {
        if (n >= list.length) continue;
        rows.push(n * this.#least.length + type);
        least.push(list[n]);
      }
    }
    return { targets: Uint32Array.from(rows), times: Uint16Array.from(least) };
  }

  /**
   * Yields the ordinals of the rows of an object whose entries are not those that follow from POI
   * rows.
   */
  async *differing(matrix: Matrix): AsyncGenerator<number> {
    const sums = new EntrySums(this.ids.length);
    const group = new Int32Array(this.blocks.length);
    for await (const { ordinal, modes } of matrix.rows()) {
      group.fill(ordinal);
      sums.add(this.#idHashes, ordinal, this.#blockHashes, group, modes);
      if (sums.digest(ordinal) !== this.#sums.digest(ordinal)) yield ordinal;
    }
  }
}

/**
 * Inserts a time into the ascending list of the lowest times so far, unless `MAX_NTH` times in the
 * list are no higher.
 */
function insertIfLeast(least: number[], time: number): void {
  let at = least.length;
  if (at === MAX_NTH && least[--at] <= time) return;
  for (; at > 0 && least[at - 1] > time; at--) least[at] = least[at - 1];
  least[at] = time;
}

/** Verifies that an object has exactly the times that follow from the POI rows. */
export function verifyNthNearest(
  { store, manifest, taxonomy }: Release,
  ref: ObjectRef,
  sums: NthNearestSums,
): AsyncGenerator<Finding> {
  return findFaults(ref.name, async (findings) => {
    const matrix = await Matrix.open(store, ref);
    const isOfShape =
      matrix.unit === TENTHS &&
      matrix.modes === manifest.modes.length &&
      sameIds(matrix.origins, sums.ids) &&
      sameIds(matrix.targets, sums.blocks);
    if (!isOfShape) {
      const wanted = `${taxonomy.types.length} types × ${sums.blocks.length} blocks`;
      findings.add('shape', () => `is not that of the ${MAX_NTH} nearest of ${wanted}`);
      return;
    }
    for await (const ordinal of sums.differing(matrix)) {
      const { type, nth } = typeAndNth(sums.ids[ordinal]);
      findings.add('does not follow from the POI rows', () => `type ${type}, the ${nth}. nearest`);
    }
  });
}
