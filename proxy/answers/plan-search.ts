import type { Release, ReleaseCounty } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { canonicalRequest, leavesAskedFor } from './block-query.ts';
import { folded } from './folded-text.ts';
import { type PoiSearch, type SearchArea, searchPois } from './poi-search.ts';

/** What the routes of searches take beside their area. */
interface AskedPlaces {
  readonly type?: readonly (string | number)[] | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of a search, but for where. */
export interface SearchPlan {
  readonly search: Omit<PoiSearch, 'area'>;
  /** The request without its page: what a cursor is bound to. */
  readonly bound: string;
  /** The request in one spelling, and who seals the cursor of its answer. */
  readonly canonical: string;
}

/** `where`: what says which area it is. */
export function planSearch(
  release: Release,
  cursors: CursorSealer,
  route: string,
  where: object,
  { type, q, limit, cursor }: AskedPlaces,
): SearchPlan {
  const types = leavesAskedFor(release, type as DestTypeId[] | undefined);
  const name = q === undefined ? undefined : folded(q);
  const asked = { ...where, type: types, q: name };
  const bound = canonicalRequest(route, asked);
  const start = cursor === undefined ? [0, 0, 0] : cursors.open(bound, cursor, 3);
  const [county, cell, destId] = start;
  return {
    bound,
    canonical: canonicalRequest(route, { ...asked, limit, start, sealer: cursors.sealer }),
    search: { types: types && new Set(types), name, limit, start: { county, cell, destId } },
  };
}

/** The page in an area, which some counties may have places in. */
export async function answerSearch(
  release: Release,
  cursors: CursorSealer,
  { search, bound }: SearchPlan,
  counties: readonly ReleaseCounty[],
  area: SearchArea,
): Promise<Answer> {
  const { results, next } = await searchPois(release, counties, { ...search, area });
  const next_cursor = next && cursors.seal(bound, [next.county, next.cell, next.destId]);
  return rowsAnswer({ results, next_cursor }, results.length);
}
