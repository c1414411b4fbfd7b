import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { AREAL } from '../formats/row-table.ts';
import { Rows } from '../formats/rows.ts';
import type { Making } from '../services.ts';
import { type ArealQuery, addArealPage } from './areal-page.ts';
import type { FoundBlocks } from './blocks-in-area.ts';
import { nextCursor, type PagedRequest, pagedRequest } from './paged-request.ts';
import { askedCells } from './summary.ts';

/** What the routes of areal rows take beside their area. */
interface AskedRows {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly DestTypeId[] | undefined;
  readonly include_population: boolean;
  readonly include_missing: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of areal rows, but for the blocks. */
export interface ArealPlan extends PagedRequest {
  readonly query: ArealQuery;
}

/** `where`: what says which area it is. */
export function planAreal(
  release: Release,
  cursors: CursorSealer,
  route: string,
  where: object,
  { include_population, include_missing, limit, cursor, ...cells }: AskedRows,
  part: 'query' | 'body' = 'query',
): ArealPlan {
  const { filter, spelled } = askedCells(release, cells, part);
  const asked = { ...where, ...spelled, include_population, include_missing };
  return {
    ...pagedRequest(cursors, route, asked, { limit, cursor }, [0, 0, 0]),
    query: { ...filter, withPopulation: include_population, withMissing: include_missing },
  };
}

/** The page of some blocks. */
export async function answerAreal(
  release: Release,
  { cursors, askers, format }: Making,
  { query, page }: ArealPlan,
  { counties, beyond }: FoundBlocks,
): Promise<Answer> {
  const results = new Rows(format);
  const end = await addArealPage(results, release, counties, query, page, askers);
  // Where all rows found are given, the next page begins with blocks that are yet to be found.
  const next = end ?? (beyond && [beyond, 0, 0]);
  const next_cursor = nextCursor(cursors, page, next);
  const answer = rowsAnswer({ results, next_cursor }, results.count);
  return { ...answer, columns: columnsOf(query) };
}

/** The columns that the request chose: the same on every page. */
function columnsOf({ withPopulation, withMissing }: ArealPlan['query']): string[] {
  return AREAL.columns.filter(
    (column) => (withPopulation || column !== 'population') && (withMissing || column !== 'reason'),
  );
}
