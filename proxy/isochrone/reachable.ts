import type { Matrix } from '../../shards/matrix/matrix.ts';
import { byMode, type Mode } from '../../shards/modes.ts';
import type { Direction } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Minutes } from '../../shards/units.ts';
import { allColumns, Columns, KeptPart } from '../formats/columns.ts';
import type { RowFormat, Rows } from '../formats/rows.ts';
import { Problem } from '../http/problem.ts';
import type { OriginBlock } from '../queries/origins/origin-block.ts';
import { REASONS, unroutedReason } from '../queries/origins/unrouted.ts';
import { GEOID } from '../queries/rows/row-columns.ts';

/** The blocks that can be reached from a block, or that can reach it, with the travel times. */
export interface Reachable {
  readonly matrix: Matrix;
  /** Ordinals in the matrix's targets, ascending. */
  readonly targets: Uint32Array;
  readonly minutes: Uint16Array;
}

/** Reads the reach of a block by a mode, with at most one range read once the head is cached. */
export async function reachable(
  { release, county, ordinal }: OriginBlock,
  mode: Mode,
  direction: Direction,
): Promise<Reachable> {
  const matrix = await release.reach(county, direction);
  const row = await matrix.encodedRow(ordinal);
  const { targets, times } = row.mode(release.positionOf(mode));
  return { matrix, targets, minutes: times };
}

/** Returns a block if a mode could be routed from it; otherwise throws `no-isochrone-data`. */
export function routable(block: OriginBlock, mode: Mode): OriginBlock {
  const { index, ordinal, geoid } = block;
  const reason = unroutedReason(index, ordinal, mode);
  if (reason === null) return block;
  throw new Problem(
    'no-isochrone-data',
    `block ${geoid} cannot be routed ${byMode(mode)}: ${REASONS[reason]}`,
    { geoid, reason },
  );
}

export function countWithin({ minutes }: Reachable, limit: Minutes): number {
  let count = 0;
  for (let i = 0; i < minutes.length; i++) if (minutes[i] <= limit) count++;
  return count;
}

const ROWS_PER_STEP = 256;

/**
 * Returns rows of the blocks within the time limit, ordered by GEOID. With `contours`, which ascend
 * to `limit`, each row names the smallest contour that contains its block.
 */
export async function blocksWithin(
  { turns }: Release,
  format: RowFormat,
  { matrix, targets, minutes }: Reachable,
  limit: Minutes,
  contours: readonly Minutes[] | null,
): Promise<Rows> {
  const travel = new Columns<Minutes>({
    travel_min: { type: 'int32', of: (minutes) => minutes },
    contour: { type: 'int32', of: (minutes) => contours?.find((level) => minutes <= level) },
  });
  const kept = new KeptPart(travel, limit + 1, (key: Minutes) => key);
  const rows = format.rows(allColumns([GEOID, kept]));
  const add = rows.of(GEOID, kept);
  for (let i = 0; i < targets.length; i++) {
    if ((i + 1) % ROWS_PER_STEP === 0) await turns.yieldIfOverdue();
    if (minutes[i] > limit) continue;
    add(matrix.targets[targets[i]], minutes[i]);
  }
  return rows;
}
