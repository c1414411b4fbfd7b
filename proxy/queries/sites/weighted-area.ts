import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import type { Matrix } from '../../../shards/matrix/matrix.ts';
import { linkModeOf } from '../../../shards/modes.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ReleaseMode } from '../../../shards/units.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { maskedBy, sumOf } from '../block-weights.ts';

/** The release that an area is read from, and the mode that its blocks are routed by. */
export interface ByMode {
  readonly release: Release;
  readonly mode: ReleaseMode;
}

interface AreaWeight {
  readonly name: string;
  /** Counts by position in the area. */
  readonly counts: Float64Array;
  readonly total: number;
  /** Sum over the blocks that the mode could not be routed from. */
  readonly noData: number;
}

/** The blocks of an area as one list, with the weight that sites are measured by. */
export class WeightedArea {
  /** Ascending by county. */
  readonly parts: readonly CountyBlocks[];
  /** Ascending. */
  readonly geoids: Float64Array;
  readonly weight: AreaWeight;
  readonly #positions = new Map<Matrix, Int32Array>();

  /** `parts` are sorted ascending by county. */
  constructor(parts: readonly CountyBlocks[], weight: AreaWeight) {
    this.parts = parts;
    this.weight = weight;
    this.geoids = new Float64Array(weight.counts.length);
    let at = 0;
    for (const { index, ordinals } of parts) {
      for (const ordinal of ordinals) this.geoids[at++] = index.geoids[ordinal];
    }
  }

  get count(): number {
    return this.geoids.length;
  }

  /**
   * Returns the position in the area of each target of a matrix; -1 for targets outside the area.
   */
  positionsIn(matrix: Matrix): Int32Array {
    return getOrInsertComputed(this.#positions, matrix, ({ targets }) => {
      const positions = new Int32Array(targets.length).fill(-1);
      for (let i = 0, at = 0; i < targets.length && at < this.geoids.length; i++) {
        while (at < this.geoids.length && this.geoids[at] < targets[i]) at++;
        if (this.geoids[at] === targets[i]) positions[i] = at;
      }
      return positions;
    });
  }
}

/** Reads a weight of the blocks of an area; several are read one after another, to bound memory. */
export async function readWeight(
  parts: readonly CountyBlocks[],
  name: string,
  { release, mode }: ByMode,
): Promise<AreaWeight> {
  const count = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const counts = new Float64Array(count);
  const street = linkModeOf(release.services[mode].mode);
  let [at, total, noData] = [0, 0, 0];
  for (const { county, index, ordinals } of parts) {
    const column = await release.weightCounts(county, name);
    total += sumOf(ordinals, column);
    noData += sumOf(index.unlinked(street), maskedBy(ordinals, column));
    for (const ordinal of ordinals) counts[at++] = column[ordinal];
    await release.turns.yieldIfOverdue();
  }
  return { name, counts, total, noData };
}
