import { linkModeOf } from '../../../shards/blocks/block-index.ts';
import { countyOf } from '../../../shards/geoid.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyFips, ReleaseMode } from '../../../shards/units.ts';
import { invalidParameters, Problem } from '../../http/problem.ts';
import { locateSentPoint, type OriginBlock, type SentPoint } from '../origins/origin-block.ts';
import { unroutedReasons } from '../origins/unrouted.ts';

/** A site as sent. */
export interface Site extends SentPoint {
  readonly id: string | number;
  /** The line that it begins on, from 1, if it was sent as CSV. */
  readonly line?: number;
}

/** A site, and the block that contains it. */
export interface LocatedSite extends Site {
  readonly block: OriginBlock;
}

/** The list of a request that a site is from. */
export type SiteList = 'sites' | 'candidates';

/** Why a site is left out. */
export interface SiteError {
  readonly id: Site['id'];
  readonly list: SiteList;
  readonly type: 'point-not-covered' | 'no-block-data';
  readonly detail: string;
}

/** Sites located at once, so that their reads overlap. */
const WIDTH = 16;

/** How the sites of a request are located. */
interface Locating {
  readonly mode: ReleaseMode;
  /** The counties that located sites lie in. */
  readonly counties: Set<CountyFips>;
  readonly mostCounties: number;
}

/**
 * Finds the blocks of a list of sites; sites without a block to route from are errors. Throws
 * `invalid-parameters` as soon as the sites of a request lie in more than `mostCounties` counties,
 * since the outlines of a county take megabytes.
 */
export async function locateSites(
  release: Release,
  list: SiteList,
  sites: readonly Site[],
  { mode, counties, mostCounties }: Locating,
): Promise<{ located: LocatedSite[]; errors: SiteError[] }> {
  const located: LocatedSite[] = [];
  const errors: SiteError[] = [];
  const label = release.manifest.modes[mode];
  for (let first = 0; first < sites.length; first += WIDTH) {
    const some = sites.slice(first, first + WIDTH);
    const found = await Promise.all(
      some.map((site) => locateSentPoint(release, site).catch(notCovered)),
    );
    for (const [i, block] of found.entries()) {
      const { id } = some[i];
      if (block instanceof Problem) {
        errors.push({ id, list, type: 'point-not-covered', detail: block.message });
        continue;
      }
      const { status } = block.index.link(block.ordinal, linkModeOf(label));
      if (status === 'linked') {
        located.push({ ...some[i], block });
        counties.add(countyOf(block.geoid));
      } else {
        const detail = unroutedReasons(block.geoid, [{ mode: label, reason: status }]);
        errors.push({ id, list, type: 'no-block-data', detail });
      }
    }
    if (counties.size > mostCounties) throw spreadTooFar(mostCounties);
    const pause = release.turns.yieldIfOverdue();
    if (pause) await pause;
  }
  return { located, errors };
}

function notCovered(error: unknown): Problem {
  if (error instanceof Problem && error.slug === 'point-not-covered') return error;
  throw error;
}

function spreadTooFar(mostCounties: number): Problem {
  const msg = `the points lie in more than ${mostCounties} counties: send an area`;
  return invalidParameters([{ loc: ['body', 'area'], msg, type: 'missing' }]);
}
