import { folded } from '../../shards/folded-text.ts';
import type { Release, ReleaseCounty } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { Rows } from '../formats/rows.ts';
import type { Making } from '../services.ts';
import { leavesAskedFor } from './modes-and-types.ts';
import { nextCursor, type PagedRequest, pagedRequest } from './paged-request.ts';
import { addPois, type PoiSearch } from './poi-search.ts';
import type { SearchedArea } from './searched-area.ts';

/** What the routes of searches take beside their area. */
interface AskedPois {
  readonly type?: readonly DestTypeId[] | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of a search, but for where. */
export interface SearchPlan extends PagedRequest {
  readonly search: PoiSearch;
}

/** `where`: what says which area it is. */
export function planSearch(
  release: Release,
  cursors: CursorSealer,
  route: string,
  where: object,
  { type, q, limit, cursor }: AskedPois,
): SearchPlan {
  const types = leavesAskedFor(release, type);
  const name = q === undefined ? undefined : folded(q);
  const asked = { ...where, type: types, q: name };
  return {
    ...pagedRequest(cursors, route, asked, { limit, cursor }, [0, 0, 0]),
    search: { types: types && new Set(types), name },
  };
}

/** The page in an area, which some counties may have POIs in. */
export async function answerSearch(
  release: Release,
  { cursors, askers, format }: Making,
  { search, page }: SearchPlan,
  counties: readonly ReleaseCounty[],
  area: SearchedArea,
): Promise<Answer> {
  const results = new Rows(format);
  const next = await addPois(results, release, counties, area, search, page, askers);
  const next_cursor = nextCursor(cursors, page, next);
  return rowsAnswer({ results, next_cursor }, results.count);
}
