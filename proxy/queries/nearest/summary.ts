import { modeIdOf } from '../../../shards/modes.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes } from '../../../shards/units.ts';
import { DEFAULT_LIMIT } from '../../bounds.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { allColumns, type RowColumn } from '../../formats/columns.ts';
import type { FoundRows } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import { type CellFilter, type CellParams, requestedCells } from '../modes-and-types.ts';
import type { OriginBlock } from '../origins/origin-block.ts';
import { unroutedMetadata, unroutedModes } from '../origins/unrouted.ts';
import {
  canonicalRequest,
  isAfter,
  nextCursor,
  type Page,
  pagedRequest,
} from '../rows/pagination.ts';
import {
  MODE_TIME,
  NO_ORIGIN,
  rowSchema,
  TIME,
  TYPE_COLUMNS,
  timeKey,
  typeColumns,
} from '../rows/row-columns.ts';
import {
  COUNT,
  NTH,
  type NthFilter,
  type NthTime,
  nearestTimesOf,
  nthColumns,
  nthTimesOf,
} from './nearest-times.ts';

export interface NthParams {
  readonly nth?: readonly number[] | undefined;
  readonly count_within?: Minutes | undefined;
}

/** Returns the kind of object that times are read from: of all POIs, or only of the nearest. */
export function timesKind({ nth, count_within }: NthParams): 'pois' | 'nearest' {
  return nth === undefined && count_within === undefined ? 'nearest' : 'pois';
}

/** Resolves the nth filter of a request; null if only the nearest times are requested. */
export function requestedNth(filter: CellFilter, asked: NthParams): NthFilter | null {
  if (timesKind(asked) === 'nearest') return null;
  const { nth, count_within } = asked;
  const countTenths = count_within === undefined ? null : count_within * 10;
  return { ...filter, nths: nth ?? null, countTenths };
}

export const categoryTime = rowSchema(TYPE_COLUMNS, MODE_TIME, NTH, COUNT).meta({
  id: 'CategoryTime',
  description: 'Minutes to the nearest POI of a type, by one mode.',
});

export function summaryColumns(
  { labels }: CellFilter,
  nthFilter: NthFilter | null,
): readonly RowColumn[] {
  return allColumns([typeColumns(labels), TIME, ...nthColumns(nthFilter)]);
}

const ROWS_PER_STEP = 8;

/**
 * Finds the rows of the summary of a block, ordered by mode id, type id, n; times beyond 30 minutes
 * have none. At most one range read once the county's head is cached.
 */
export function summaryOf(
  block: OriginBlock,
  filter: CellFilter,
  nthFilter: NthFilter | null,
): Promise<NthTime[]> {
  return nthFilter === null ? nearestTimesOf(block, filter) : nthTimesOf(block, nthFilter);
}

/** The rows of a summary. `origin`: the members that identify the origin in a batch. */
export function summaryRows(
  { turns }: Release,
  found: readonly NthTime[],
  { labels }: CellFilter,
  nthFilter: NthFilter | null,
  { columns, name } = NO_ORIGIN,
): FoundRows {
  return {
    count: found.length,
    async addTo(rows) {
      const add = rows.of(columns, typeColumns(labels), TIME, ...nthColumns(nthFilter));
      for (const [i, { mode, type, nth, tenths, count }] of found.entries()) {
        add(name, type, timeKey(mode) + tenths, nth, count);
        if ((i + 1) % ROWS_PER_STEP === 0) await turns.yieldIfOverdue();
      }
    },
  };
}

export function blockMetadata({ index, ordinal, geoid }: OriginBlock) {
  return {
    geoid,
    population: index.population(ordinal),
    land_area_m2: index.landArea(ordinal),
  };
}

interface SummaryParams extends CellParams, NthParams {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ResolvedSummary {
  readonly canonical: string;
  readonly filter: CellFilter;
  readonly nthFilter: NthFilter | null;
  /** Null if all rows are requested at once: if neither limit nor cursor is sent. */
  readonly page: Page | null;
}

export function resolveSummary(
  release: Release,
  cursors: CursorSealer,
  route: string,
  origin: object,
  { limit, cursor, nth, count_within, ...cells }: SummaryParams,
): ResolvedSummary {
  const { filter, sent: sentCells, resolved } = requestedCells(release, cells);
  const nthFilter = requestedNth(filter, { nth, count_within });
  const sent = { ...origin, ...sentCells, nth, count_within };
  if (limit === undefined && cursor === undefined) {
    return {
      canonical: canonicalRequest(route, { ...sent, ...resolved }),
      filter,
      nthFilter,
      page: null,
    };
  }
  const part = { limit: limit ?? DEFAULT_LIMIT, cursor };
  const beginning = nthFilter === null ? [0, 0] : [0, 0, 0];
  return {
    ...pagedRequest(cursors, route, { sent, resolved }, part, beginning),
    filter,
    nthFilter,
  };
}

export async function querySummary(
  { cursors, format }: QueryContext,
  { filter, nthFilter, page }: ResolvedSummary,
  block: OriginBlock,
  originMembers: object,
): Promise<QueryResult> {
  const results = format.rows(summaryColumns(filter, nthFilter));
  const all = await summaryOf(block, filter, nthFilter);
  const { rows, end } = page === null ? { rows: all, end: null } : pageOf(all, page);
  await summaryRows(block.release, rows, filter, nthFilter).addTo(results);
  const paged = page && { next_cursor: nextCursor(cursors, page, end) };
  const unrouted = unroutedMetadata(unroutedModes(block, filter.modes));
  const body = { ...originMembers, results, ...paged, ...unrouted };
  return rowsResponse(body, results.count);
}

/** Returns the rows of a page, and the position of its last row; null if there are no more rows. */
function pageOf(
  all: readonly NthTime[],
  { position, limit }: Page,
): { rows: NthTime[]; end: Page['position'] | null } {
  /** Mode id, type id and, in pages by n, n. */
  const positionOf = ({ mode, type, nth }: NthTime) =>
    [modeIdOf(mode), type, nth].slice(0, position.length);
  const open = all.filter((row) => isAfter(positionOf(row), position));
  const rows = open.slice(0, limit);
  const isLast = rows.length === open.length;
  return { rows, end: isLast ? null : positionOf(rows[rows.length - 1]) };
}
