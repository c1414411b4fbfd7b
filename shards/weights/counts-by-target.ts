import { countyRanges } from '../geoid.ts';
import type { CountyFips } from '../units.ts';

export interface CountedBlocks {
  /** GEOIDs, ascending. */
  readonly geoids: Float64Array;
  /** One or more columns of counts, in the order of `geoids`. */
  readonly columns: readonly Uint32Array[];
}

/**
 * Arranges counts by the targets of a matrix, which are blocks of several counties: `columns` many.
 * Blocks of a county for which `blocksOf` returns null, and unknown blocks, count as 0.
 */
export async function countsByTarget(
  targets: Float64Array,
  columns: number,
  blocksOf: (county: CountyFips) => Promise<CountedBlocks | null>,
): Promise<Uint32Array[]> {
  const byTarget = Array.from({ length: columns }, () => new Uint32Array(targets.length));
  for (const { fips, first, end } of countyRanges(targets)) {
    const counted = await blocksOf(fips);
    if (!counted) continue;
    const { geoids } = counted;
    let block = 0;
    for (let target = first; target < end; target++) {
      while (geoids[block] < targets[target]) block++;
      if (geoids[block] !== targets[target]) continue;
      for (let c = 0; c < columns; c++) byTarget[c][target] = counted.columns[c][block];
    }
  }
  return byTarget;
}
