import { type Mode, modeIdOf } from '../../../shards/modes.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Taxonomy } from '../../../shards/taxonomy.ts';
import type { DestTypeId, Minutes } from '../../../shards/units.ts';
import { DEFAULT_LIMIT } from '../../bounds.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { allColumns, type RowColumn } from '../../formats/columns.ts';
import type { FoundRows } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import { type CellFilter, type CellParams, requestedCells } from '../modes-and-types.ts';
import type { OriginBlock } from '../origins/origin-block.ts';
import { unroutedMetadata, unroutedModes } from '../origins/unrouted.ts';
import { canonicalRequest, nextCursor, type Page, pagedRequest } from '../rows/pagination.ts';
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
  NTH_BEGINS,
  type NthFilter,
  type NthRow,
  nthColumns,
  nthPage,
  nthRows,
  nthTimesOf,
} from './nth-times.ts';

/** A request for the n-th nearest POIs, or for counts of POIs. */
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

/** The rows of summaries, with all columns that they may have. */
export const categoryTime = rowSchema(TYPE_COLUMNS, MODE_TIME, NTH, COUNT).meta({
  id: 'CategoryTime',
  description: 'Minutes to the nearest POI of a type, by one mode.',
});

/** Columns of a summary's rows, without those of an origin. */
export function summaryColumns(
  { labels }: CellFilter,
  nthFilter: NthFilter | null,
): readonly RowColumn[] {
  const counts = nthFilter === null ? [] : nthColumns(nthFilter);
  return allColumns([typeColumns(labels), TIME, ...counts]);
}

/** Cells of a block's nearest times, by mode id, then type id. */
interface SummaryCells {
  readonly release: Release;
  /** All cells of the block, as stored in the release. */
  readonly times: Uint16Array;
  /** Indexes of the selected cells in `times`, sorted ascending. */
  readonly selected: readonly number[];
  readonly labels: Taxonomy | null;
}

/** Reads the selected cells of a block that have a time, with at most one range read. */
export async function summaryOf(
  { release, county, index, ordinal }: OriginBlock,
  { modes, types, labels }: CellFilter,
): Promise<SummaryCells> {
  if (!index.isRoutable(ordinal)) {
    return { release, times: new Uint16Array(0), selected: [], labels };
  }
  const times = await release.nearest(county, ordinal);
  const { leafIds } = release.taxonomy;
  const selected: number[] = [];
  for (const mode of modes) {
    for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const column = mode * leafIds.length + leaf;
      if (times[column] > 0 && types?.has(leafIds[leaf]) !== false) selected.push(column);
    }
  }
  return { release, times, selected, labels };
}

/** The mode and type of a cell. */
function cellOf(
  { services, taxonomy: { leafIds } }: Release,
  column: number,
): { mode: Mode; type: DestTypeId } {
  const mode = Math.floor(column / leafIds.length);
  return { mode: services[mode].mode, type: leafIds[column - mode * leafIds.length] };
}

/** Renders cells as rows. `origin`: the members that identify the origin in a batch. */
export function summaryRows(
  { release, times, selected, labels }: SummaryCells,
  { columns, name } = NO_ORIGIN,
): FoundRows {
  return {
    count: selected.length,
    async addTo(rows) {
      const add = rows.of(columns, typeColumns(labels), TIME);
      for (const column of selected) {
        const { mode, type } = cellOf(release, column);
        add(name, type, timeKey(mode) + times[column]);
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

/** Request of a summary route, apart from its origin. */
interface SummaryParams extends CellParams, NthParams {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A summary, without its block. */
export interface ResolvedSummary {
  /** The request in canonical form. */
  readonly canonical: string;
  readonly filter: CellFilter;
  readonly nthFilter: NthFilter | null;
  /** Null if all rows are requested at once: if neither limit nor cursor is sent. */
  readonly page: Page | null;
}

/**
 * Resolves the request of a summary route; `origin` holds the parameters that identify the block.
 */
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
  const beginning = nthFilter === null ? [0, 0] : NTH_BEGINS;
  return {
    ...pagedRequest(cursors, route, { sent, resolved }, part, beginning),
    filter,
    nthFilter,
  };
}

/** Builds the summary of a block; `originMembers` are the members before the rows. */
export async function querySummary(
  { cursors, format }: QueryContext,
  { filter, nthFilter, page }: ResolvedSummary,
  block: OriginBlock,
  originMembers: object,
): Promise<QueryResult> {
  const results = format.rows(summaryColumns(filter, nthFilter));
  const { found, end } =
    nthFilter === null
      ? nearestPage(await summaryOf(block, filter), page)
      : nthPart(block.release, await nthTimesOf(block, nthFilter), nthFilter, page);
  await found.addTo(results);
  const paged = page && { next_cursor: nextCursor(cursors, page, end) };
  const unrouted = unroutedMetadata(unroutedModes(block, filter.modes));
  const body = { ...originMembers, results, ...paged, ...unrouted };
  return rowsResponse(body, results.count);
}

/** Rows of a summary, and the position where their page ends; null if there are no more. */
interface SummaryPart {
  readonly found: FoundRows;
  readonly end: Page['position'] | null;
}

function nearestPage(all: SummaryCells, page: Page | null): SummaryPart {
  const part = page === null ? all : cellsFrom(all, page);
  return { found: summaryRows(part), end: endOf(all, part) };
}

function nthPart(
  release: Release,
  all: readonly NthRow[],
  nthFilter: NthFilter,
  page: Page | null,
): SummaryPart {
  const { rows, end } = page === null ? { rows: all, end: null } : nthPage(all, page);
  return { found: nthRows(release, rows, nthFilter), end };
}

/** The cells of a page that starts after a position (mode id, type id). */
function cellsFrom(
  all: SummaryCells,
  { position: [afterMode, afterType], limit }: Page,
): SummaryCells {
  const open = all.selected.filter((column) => {
    const [mode, type] = positionOf(all, column);
    return mode > afterMode || (mode === afterMode && type > afterType);
  });
  return { ...all, selected: open.slice(0, limit) };
}

/** Position where a page ends; null if it is the last. */
function endOf(all: SummaryCells, { selected }: SummaryCells): Page['position'] | null {
  const last = selected.at(-1);
  return last === undefined || last === all.selected.at(-1) ? null : positionOf(all, last);
}

function positionOf({ release }: SummaryCells, column: number): [mode: number, type: number] {
  const { mode, type } = cellOf(release, column);
  return [modeIdOf(mode), type];
}
