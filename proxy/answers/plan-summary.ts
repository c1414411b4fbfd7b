import { type Mode, modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { DEFAULT_LIMIT } from '../bounds.ts';
import type { CursorSealer } from '../cursors/cursor.ts';
import { type Answer, rowsAnswer } from '../endpoint.ts';
import { Rows } from '../formats/rows.ts';
import type { Making } from '../services.ts';
import type { LocatedBlock } from './located-block.ts';
import { canonicalRequest, nextCursor, type Page, pagedRequest } from './paged-request.ts';
import {
  askedCells,
  cellOf,
  type SummaryCells,
  type SummaryFilter,
  summaryOf,
  summaryRows,
} from './summary.ts';
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
  { cursors, askers, format }: Making,
  { filter, page }: SummaryPlan,
  block: LocatedBlock,
  beside: object,
): Promise<Answer> {
  const all = await summaryOf(block, filter);
  const part = page === null ? all : cellsFrom(all, page);
  const results = new Rows(format);
  await summaryRows(part).addTo(results, askers);
  const paged = page && { next_cursor: nextCursor(cursors, page, endOf(all, part)) };
  const unrouted = besideUnrouted(unroutedModes(block, filter.modes));
  return rowsAnswer({ ...beside, results, ...paged, ...unrouted }, results.count);
}

/** The cells of a page, which begins after a position (mode id, type id). */
function cellsFrom(
  all: SummaryCells,
  { position: [afterMode, afterType], limit }: Page,
): SummaryCells {
  const open = all.columns.filter((column) => {
    const [mode, type] = positionOf(all, column);
    return mode > afterMode || (mode === afterMode && type > afterType);
  });
  return { ...all, columns: open.slice(0, limit) };
}

/** Where a page ends; null if all ends with it. */
function endOf(all: SummaryCells, { columns }: SummaryCells): Page['position'] | null {
  const last = columns.at(-1);
  return last === undefined || last === all.columns.at(-1) ? null : positionOf(all, last);
}

function positionOf({ release }: SummaryCells, column: number): [mode: number, type: number] {
  const { mode, type } = cellOf(release, column);
  return [modeIdOf(mode), type];
}
