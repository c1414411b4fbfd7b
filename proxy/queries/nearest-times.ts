import { type Mode, modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { DEFAULT_LIMIT } from '../bounds.ts';
import { type QueryResult, rowsResponse } from '../endpoint.ts';
import type { ByteText } from '../formats/byte-text.ts';
import { type FoundRows, Rows } from '../formats/rows.ts';
import type { CursorSealer } from '../http/cursor.ts';
import type { QueryContext } from '../services.ts';
import { originText, timeEnds, typeTexts } from './fragments.ts';
import { modeLabels, modePositions, requestedLeaves } from './modes-and-types.ts';
import type { OriginBlock } from './origin-block.ts';
import { canonicalRequest, nextCursor, type Page, pagedRequest } from './pagination.ts';
import { unroutedMetadata, unroutedModes } from './unrouted.ts';

/** Which cells of a block's nearest times are wanted. */
export interface SummaryFilter {
  /** Positions among the release's modes, ascending. */
  readonly modes: readonly number[];
  /** Leaf types asked for; undefined for all. */
  readonly types: ReadonlySet<DestTypeId> | undefined;
}

/** The cells that a request asks for, and how a canonical request spells them. */
export function requestedCells(
  release: Release,
  query: {
    readonly mode?: readonly Mode[] | undefined;
    readonly type?: readonly DestTypeId[] | undefined;
  },
  part: 'query' | 'body' = 'query',
): { filter: SummaryFilter; spelled: { mode: readonly Mode[]; type: readonly DestTypeId[] } } {
  const types = requestedLeaves(release, query.type, part);
  const modes = modePositions(release, query.mode, part);
  return {
    filter: { modes, types: types && new Set(types) },
    // The release defines the columns of its nearest objects, so both are listed.
    spelled: { mode: modeLabels(release, modes), type: types ?? release.taxonomy.leafIds },
  };
}

/** Cells of a block's nearest times, by mode id, then type id. */
export interface SummaryCells {
  readonly release: Release;
  /** All cells of the block, as the release has them. */
  readonly times: Uint16Array;
  /** Those that are wanted, ascending. */
  readonly columns: readonly number[];
}

/** The cells of a block that are wanted and have a time. At most one range read. */
export async function summaryOf(
  { release, county, index, ordinal }: OriginBlock,
  { modes, types }: SummaryFilter,
): Promise<SummaryCells> {
  if (!index.isRoutable(ordinal)) return { release, times: new Uint16Array(0), columns: [] };
  const times = await release.nearest(county, ordinal);
  const { leafIds } = release.taxonomy;
  const columns: number[] = [];
  for (const mode of modes) {
    for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const column = mode * leafIds.length + leaf;
      if (times[column] > 0 && types?.has(leafIds[leaf]) !== false) columns.push(column);
    }
  }
  return { release, times, columns };
}

/** The mode and type of a cell. */
export function cellOf(
  { manifest, taxonomy: { leafIds } }: Release,
  column: number,
): { mode: Mode; type: DestTypeId } {
  const mode = Math.floor(column / leafIds.length);
  return { mode: manifest.modes[mode], type: leafIds[column - mode * leafIds.length] };
}

/** Writes cells as rows. `origin`: the members that say which of several origins they are from. */
export function summaryRows(
  { release, times, columns }: SummaryCells,
  origin: object = {},
): FoundRows {
  return {
    count: columns.length,
    async addTo(rows) {
      const { format } = rows;
      const before = format.begin(0, 0) + originText(format, origin);
      const [typeText, ends] = [typeTexts(format), timeEnds(format)];
      const leaves = release.taxonomy.leafIds.length;
      /** By leaf type, for the rows of all modes: texts that are joined twice cost twice. */
      const begins: ByteText[] = new Array(leaves);
      for (const column of columns) {
        const { mode, type } = cellOf(release, column);
        const leaf = column % leaves;
        begins[leaf] ??= before + typeText(type);
        rows.add(begins[leaf] + ends[mode][times[column]]);
      }
    },
  };
}

/** Block metadata of a summary. */
export function blockMetadata({ index, ordinal, geoid }: OriginBlock) {
  return {
    geoid,
    population: index.population(ordinal),
    land_area_m2: index.landArea(ordinal),
  };
}

/** Request of a summary route, apart from its origin. */
interface AskedSummary {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly DestTypeId[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A summary, but for its block. */
export interface ResolvedSummary {
  /** The request in one spelling. */
  readonly canonical: string;
  readonly filter: SummaryFilter;
  /** Null where all rows are asked for at once, as they are unless limit or cursor is sent. */
  readonly page: Page | null;
}

/** `origin`: what says which block it is. */
export function resolveSummary(
  release: Release,
  cursors: CursorSealer,
  route: string,
  origin: object,
  { limit, cursor, ...cells }: AskedSummary,
): ResolvedSummary {
  const { filter, spelled } = requestedCells(release, cells);
  const asked = { ...origin, ...spelled };
  if (limit === undefined && cursor === undefined) {
    return { canonical: canonicalRequest(route, asked), filter, page: null };
  }
  const part = { limit: limit ?? DEFAULT_LIMIT, cursor };
  return { ...pagedRequest(cursors, route, asked, part, [0, 0]), filter };
}

/** The summary of a block. `beside`: members before the rows. */
export async function querySummary(
  { cursors, waiters, format }: QueryContext,
  { filter, page }: ResolvedSummary,
  block: OriginBlock,
  beside: object,
): Promise<QueryResult> {
  const all = await summaryOf(block, filter);
  const part = page === null ? all : cellsFrom(all, page);
  const results = new Rows(format);
  await summaryRows(part).addTo(results, waiters);
  const paged = page && { next_cursor: nextCursor(cursors, page, endOf(all, part)) };
  const unrouted = unroutedMetadata(unroutedModes(block, filter.modes));
  return rowsResponse({ ...beside, results, ...paged, ...unrouted }, results.count);
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
