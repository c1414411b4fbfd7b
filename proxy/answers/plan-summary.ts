import type { CountyManifest } from '../../shards/manifest.ts';
import { modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { canonicalRequest, type LocatedBlock } from './block-query.ts';
import { askedCells, type CategoryTime, type SummaryFilter, summaryRows } from './summary.ts';
import { besideUnrouted, unroutedModes } from './unrouted.ts';

/** What the routes of summaries take beside their origin. */
interface AskedSummary {
  readonly mode?: readonly string[] | undefined;
  readonly type?: readonly (string | number)[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A summary, but for its block. */
export interface SummaryPlan {
  /** The request in one spelling. */
  readonly canonical: string;
  readonly filter: SummaryFilter;
  /** Null where all rows are asked for at once, as they are unless limit or cursor is sent. */
  readonly page: SummaryPage | null;
}

interface SummaryPage {
  readonly limit: number;
  readonly after: readonly [modeId: number, type: DestTypeId];
  /** The request without limit and cursor: what a cursor is bound to. */
  readonly bound: string;
}

const DEFAULT_LIMIT = 100;

/** `origin`: what says which block it is. */
export function planSummary(
  release: Release,
  cursors: CursorSealer,
  route: string,
  origin: object,
  { limit, cursor, ...cells }: AskedSummary,
): SummaryPlan {
  const { filter, spelled } = askedCells(release, cells);
  const asked = { ...origin, ...spelled };
  const bound = canonicalRequest(route, asked);
  if (limit === undefined && cursor === undefined) return { canonical: bound, filter, page: null };
  const [modeId, type] = cursor === undefined ? [0, 0] : cursors.open(bound, cursor, 2);
  const page = { limit: limit ?? DEFAULT_LIMIT, after: [modeId, type] as const, bound };
  const { sealer } = cursors;
  return {
    canonical: canonicalRequest(route, { ...asked, limit: page.limit, after: page.after, sealer }),
    filter,
    page,
  };
}

/** The summary of a block. `beside`: what the answer says before the rows. */
export async function answerSummary(
  release: Release,
  cursors: CursorSealer,
  { filter, page }: SummaryPlan,
  county: CountyManifest,
  { index, ordinal }: LocatedBlock,
  beside: object,
): Promise<Answer> {
  const all = await summaryRows(release, county, index, ordinal, filter);
  const unrouted = besideUnrouted(unroutedModes(release, index, ordinal, filter.modes));
  if (page === null) return rowsAnswer({ ...beside, results: all, ...unrouted }, all.length);
  const [afterMode, afterType] = page.after;
  const open = all.filter(({ mode, dest_type_id }) => {
    const modeId = modeIdOf(mode);
    return modeId > afterMode || (modeId === afterMode && dest_type_id > afterType);
  });
  const results = open.slice(0, page.limit);
  const next_cursor = open.length > results.length ? cursorAfter(cursors, page, results) : null;
  return rowsAnswer({ ...beside, results, next_cursor, ...unrouted }, results.length);
}

function cursorAfter(
  cursors: CursorSealer,
  { bound }: SummaryPage,
  results: readonly CategoryTime[],
): string {
  const { mode, dest_type_id } = results[results.length - 1];
  return cursors.seal(bound, [modeIdOf(mode), dest_type_id]);
}
