import { ShardError } from '../../shards/errors.ts';
import { countyRanges } from '../../shards/geoid.ts';
import { type DissolvePart, dissolveSteps } from '../../shards/geometry/dissolve.ts';
import { geometryOf, type PolygonGeometry, polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Minutes, SquareMetres } from '../../shards/units.ts';
import type { Reachable } from './reachable.ts';

/** Holes smaller than this are filled: ponds, squares, a block that cannot be reached. */
export const FILL_HOLES_BELOW: SquareMetres = 100_000;

/**
 * Outline of the blocks within the given minutes: their union, also across county lines. Contours
 * nest: a longer one contains more blocks, and filled holes stay filled.
 */
export async function contour(
  release: Release,
  reachable: Reachable,
  limit: Minutes,
): Promise<PolygonGeometry> {
  const parts = await partsWithin(release, reachable, limit);
  const outline = await release.turns.run(dissolveSteps(parts, FILL_HOLES_BELOW));
  return geometryOf(polygonsOfAll(outline));
}

/**
 * Groups the reached blocks by county. The targets of a matrix are whole counties, block by block.
 * Contours end at the counties of the release, since other counties have no polygons.
 */
async function partsWithin(
  release: Release,
  { matrix, targets, minutes }: Reachable,
  limit: Minutes,
): Promise<DissolvePart[]> {
  const parts: DissolvePart[] = [];
  let at = 0;
  for (const { fips, first, end } of countyRanges(matrix.targets)) {
    const start = at;
    while (at < targets.length && targets[at] < end) at++;
    const reached = new Uint32Array(at - start);
    let count = 0;
    for (let i = start; i < at; i++) if (minutes[i] <= limit) reached[count++] = targets[i] - first;
    const county = release.county(fips);
    if (count === 0 || !county) continue;
    const { outlines } = await release.areas(county);
    const borders = await release.borders(county);
    if (outlines.geoids.length !== end - first || outlines.geoids[0] !== matrix.targets[first]) {
      throw new ShardError(matrix.ref.name, 'TARG', `does not list the blocks of county ${fips}`);
    }
    parts.push({ outlines, areas: reached.subarray(0, count), borders });
  }
  return parts;
}
