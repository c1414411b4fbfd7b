import type { Release } from '../../shards/release.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { AREAL } from '../formats/row-table.ts';
import { type ArealQuery, arealPage } from './areal-page.ts';
import type { FoundBlocks } from './asked-area.ts';
import { canonicalRequest } from './block-query.ts';
import { askedCells } from './summary.ts';

/** What the routes of areal rows take beside their area. */
interface AskedRows {
  readonly mode?: readonly string[] | undefined;
  readonly type?: readonly (string | number)[] | undefined;
  readonly include_population: boolean;
  readonly include_missing: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of areal rows, but for the blocks. */
export interface ArealPlan {
  readonly query: Omit<ArealQuery, 'blocks'>;
  /** The request without its page: what a cursor is bound to. */
  readonly bound: string;
  /** The request in one spelling, and who seals the cursor of its answer. */
  readonly canonical: string;
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
  const bound = canonicalRequest(route, asked);
  const [geoid, type, modeId] = cursor === undefined ? [0, 0, 0] : cursors.open(bound, cursor, 3);
  const after = [geoid, type, modeId] as const;
  return {
    bound,
    canonical: canonicalRequest(route, { ...asked, limit, after, sealer: cursors.sealer }),
    query: {
      ...filter,
      withPopulation: include_population,
      withMissing: include_missing,
      limit,
      after,
    },
  };
}

/** The page of some blocks. */
export async function answerAreal(
  release: Release,
  cursors: CursorSealer,
  { query, bound }: ArealPlan,
  { blocks, beyond }: FoundBlocks,
): Promise<Answer> {
  const { results, more } = await arealPage(release, { ...query, blocks });
  const last = results.at(-1);
  // Where all rows found are given, the next page begins with blocks that are yet to be found.
  const next =
    more && last ? [Number(last.geoid), last.dest_type_id, last.mode_id] : beyond && [beyond, 0, 0];
  const next_cursor = next && cursors.seal(bound, next);
  const answer = rowsAnswer({ results, next_cursor }, results.length);
  return { ...answer, columns: columnsOf(query) };
}

/** The columns that the request chose: the same on every page. */
function columnsOf({ withPopulation, withMissing }: ArealPlan['query']): string[] {
  return AREAL.columns.filter(
    (column) => (withPopulation || column !== 'population') && (withMissing || column !== 'reason'),
  );
}
