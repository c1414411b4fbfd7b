import { byMode, type Mode } from '../../../shards/modes.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Degrees, Minutes } from '../../../shards/units.ts';
import { invalidParameters, Problem } from '../../http/problem.ts';
import { refuseExchanged } from '../exchanged-coordinates.ts';
import { modeFault } from '../modes-and-types.ts';
import { locateOrigin, type OriginBlock, originOfPoint } from './origin-block.ts';
import { REASONS, unroutedReason } from './unrouted.ts';

export interface NearPoint {
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly mode: Mode;
  readonly direction: Direction;
  readonly max_minutes: Minutes;
}

export interface LocatedNearPoint extends NearPoint {
  readonly block: OriginBlock;
}

/** Throws for modes and directions that the release lacks, and for exchanged coordinates. */
export function checkNearPoints(release: Release, points: readonly NearPoint[]): void {
  const lacking = points.flatMap(({ mode }, i) =>
    modeFault(release, mode, ['body', 'near', i, 'mode']),
  );
  if (lacking.length > 0) throw invalidParameters(lacking);
  for (const [i, point] of points.entries()) {
    checkDirection(release, point.direction);
    refuseExchanged(release, point, ['body', 'near', i]);
  }
}

/** Throws `direction-not-available` for a direction that the release lacks. */
export function checkDirection({ manifest: { directions } }: Release, direction: Direction): void {
  if (directions.includes(direction)) return;
  throw new Problem(
    'direction-not-available',
    `this release has no direction ${direction}; it has ${directions.join(', ')}`,
  );
}

/**
 * Finds the blocks of points. Throws `point-not-covered` for a point outside all blocks, and
 * `no-isochrone-data` for a point whose block cannot be routed.
 */
export async function locateNearPoints(
  release: Release,
  points: readonly NearPoint[],
): Promise<LocatedNearPoint[]> {
  const located: LocatedNearPoint[] = [];
  for (const point of points) {
    const { lon, lat, mode } = point;
    const block = await locateOrigin(release, originOfPoint(release, lon, lat));
    const { geoid } = block;
    const reason = unroutedReason(block.index, block.ordinal, mode);
    if (reason !== null) {
      throw new Problem(
        'no-isochrone-data',
        `near ${lat}, ${lon}: block ${geoid} cannot be routed ${byMode(mode)}: ${REASONS[reason]}`,
        { geoid, reason },
      );
    }
    located.push({ ...point, block });
  }
  return located;
}

/**
 * Returns the blocks that are near every one of the points, sorted ascending by GEOID; null if
 * there are no points. Takes one range read per point.
 */
export async function blocksNear(
  release: Release,
  points: readonly LocatedNearPoint[],
): Promise<Float64Array | null> {
  let near: Float64Array | null = null;
  for (const point of points) {
    const blocks = await blocksNearOne(release, point);
    near = near === null ? blocks : sharedBy(near, blocks);
    await release.turns.yieldIfOverdue();
  }
  return near;
}

async function blocksNearOne(
  release: Release,
  { block: { county, ordinal }, mode, direction, max_minutes }: LocatedNearPoint,
): Promise<Float64Array> {
  const matrix = await release.reach(county, direction);
  const row = await matrix.encodedRow(ordinal);
  const { targets, times } = row.mode(release.positionOf(mode));
  const within = targets.filter((_, i) => times[i] <= max_minutes);
  return Float64Array.from(within, (target) => matrix.targets[target]);
}

function sharedBy(a: Float64Array, b: Float64Array): Float64Array {
  let at = 0;
  return a.filter((value) => {
    while (at < b.length && b[at] < value) at++;
    return b[at] === value;
  });
}
