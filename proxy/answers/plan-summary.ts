import { type Mode, modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import type { LocatedBlock } from './located-block.ts';
import { canonicalRequest, nextCursor, type Page, pagedRequest } from './paged-request.ts';
import { askedCells, type SummaryFilter, summaryOf } from './summary.ts';
import { besideUnrouted, unroutedModes } from './unrouted.ts';

/** What the routes of summaries take beside their origin. */
interface AskedSummary {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly DestTypeId[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A summary, but for its block. */
export interface SummaryPlan {
  /** The request in one spelling. */
  readonly canonical: string;
  readonly filter: SummaryFilter;
  /** Null where all rows are asked for at once, as they are unless limit or cursor is sent. */
  readonly page: Page | null;
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
  if (limit === undefined && cursor === undefined) {
    return { canonical: canonicalRequest(route, asked), filter, page: null };
  }
  const part = { limit: limit ?? DEFAULT_LIMIT, cursor };
  return { ...pagedRequest(cursors, route, asked, part, [0, 0]), filter };
}

/** The summary of a block. `beside`: what the answer says before the rows. */
export async function answerSummary(
  cursors: CursorSealer,
  { filter, page }: SummaryPlan,
  block: LocatedBlock,
  beside: object,
): Promise<Answer> {
  const all = await summaryOf(block, filter);
  const unrouted = besideUnrouted(unroutedModes(block, filter.modes));
  if (page === null) return rowsAnswer({ ...beside, results: all, ...unrouted }, all.length);
  const [afterMode, afterType] = page.position;
  const open = all.filter(({ mode, dest_type_id }) => {
    const modeId = modeIdOf(mode);
    return modeId > afterMode || (modeId === afterMode && dest_type_id > afterType);
  });
  const results = open.slice(0, page.limit);
  const last = results[results.length - 1];
  const end = open.length > results.length ? [modeIdOf(last.mode), last.dest_type_id] : null;
  const next_cursor = nextCursor(cursors, page, end);
  return rowsAnswer({ ...beside, results, next_cursor, ...unrouted }, results.length);
}
