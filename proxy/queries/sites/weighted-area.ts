import { linkModeOf } from '../../../shards/blocks/block-index.ts';
import type { Matrix } from '../../../shards/matrix/matrix.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ReleaseMode } from '../../../shards/units.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { maskedBy, sumOf } from '../block-weights.ts';

/** The sums of a weight over an area. */
interface AreaWeight {
  readonly name: string;
  /** Counts by position in the area. */
  readonly counts: Float64Array;
  readonly total: number;
  /** Sum over the blocks that the mode could not be routed from. */
  readonly noData: number;
}

/** The blocks of an area as one list, with their weights. */
export class WeightedArea {
  /** Ascending by county. */
  readonly parts: readonly CountyBlocks[];
  readonly mode: ReleaseMode;
  /** Ascending. */
  readonly geoids: Float64Array;
  readonly weights: readonly AreaWeight[];
  readonly #positions = new Map<Matrix, Int32Array>();

  private constructor(
    parts: readonly CountyBlocks[],
    mode: ReleaseMode,
    geoids: Float64Array,
    weights: readonly AreaWeight[],
  ) {
    this.parts = parts;
    this.mode = mode;
    this.geoids = geoids;
    this.weights = weights;
  }

  /** Reads the weights of blocks; `parts` are sorted ascending by county. */
  static async of(
    release: Release,
    parts: readonly CountyBlocks[],
    { mode, weights: names }: { readonly mode: ReleaseMode; readonly weights: readonly string[] },
  ): Promise<WeightedArea> {
    const count = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
    const geoids = new Float64Array(count);
    const weights = names.map((name) => ({
      name,
      counts: new Float64Array(count),
      total: 0,
      noData: 0,
    }));
    const street = linkModeOf(release.manifest.modes[mode]);
    let at = 0;
    for (const { county, index, ordinals } of parts) {
      for (const weight of weights) {
        const column = await release.weightCounts(county, weight.name);
        weight.total += sumOf(ordinals, column);
        weight.noData += sumOf(index.unlinked(street), maskedBy(ordinals, column));
        const own = weight.counts.subarray(at, at + ordinals.length);
        for (let i = 0; i < own.length; i++) own[i] = column[ordinals[i]];
        const pause = release.turns.yieldIfOverdue();
        if (pause) await pause;
      }
      const own = geoids.subarray(at, at + ordinals.length);
      for (let i = 0; i < own.length; i++) own[i] = index.geoids[ordinals[i]];
      at += ordinals.length;
    }
    return new WeightedArea(parts, mode, geoids, weights);
  }

  /** Number of blocks. */
  get count(): number {
    return this.geoids.length;
  }

  /**
   * Returns the position in the area of each target of a matrix; -1 for targets outside the area.
   */
  positionsIn(matrix: Matrix): Int32Array {
    const known = this.#positions.get(matrix);
    if (known) return known;
    const { targets } = matrix;
    const positions = new Int32Array(targets.length).fill(-1);
    for (let i = 0, at = 0; i < targets.length && at < this.geoids.length; i++) {
      while (at < this.geoids.length && this.geoids[at] < targets[i]) at++;
      if (this.geoids[at] === targets[i]) positions[i] = at;
    }
    this.#positions.set(matrix, positions);
    return positions;
  }
}
