import { ordinalIn } from '../../../shards/arrays/sorted.ts';
import type { GeoidNumber } from '../../../shards/geoid.ts';
import { geometryOf, type PolygonGeometry, polygonsOf } from '../../../shards/geometry/geo-json.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { allColumns } from '../../formats/columns.ts';
import type { RowFormat } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import { type CellParams, requestedCells } from '../modes-and-types.ts';
import type { NthFilter } from '../nearest/nearest-times.ts';
import { type NthParams, requestedNth } from '../nearest/summary.ts';
import { nextCursor, type Page, type PagedRequest, pagedRequest } from '../rows/pagination.ts';
import { AreaRows, type AreaTimes, nearestTimes, nthTimes } from './area-rows.ts';
import { type ArealQuery, arealParts } from './block-rows.ts';
import type { CountyBlocks, FoundBlocks } from './drawn-blocks.ts';

const BLOCKS_PER_READ = 32;

/**
 * Maximum number of blocks read for a page: if few have rows, pages end before they are full, so
 * that a page of one token takes bounded work.
 */
const BLOCKS_PER_PAGE = 4_096;

/**
 * Adds the next rows of the found blocks to a page, reading few blocks at first and then more at a
 * time. No found block precedes the one where the page starts. Returns the position where the page
 * ends, or null if the found blocks have no more rows.
 */
async function addArealPage<Times>(
  rows: AreaRows<Times>,
  release: Release,
  { format }: QueryContext,
  resolved: ResolvedArea,
  found: AsyncIterable<CountyBlocks>,
): Promise<Page['position'] | null> {
  const { query, nthFilter } = resolved;
  let step = minBlocks(release, resolved);
  let blocksRead = 0;
  for await (const { ordinals, county, index } of found) {
    const outlineOf = await outlinesFor(format, release, county);
    for (let first = 0, end: number; first < ordinals.length; first = end) {
      const room = BLOCKS_PER_PAGE - blocksRead;
      if (room === 0) return beginOf(index.geoids[ordinals[first]], nthFilter);
      end = Math.min(ordinals.length, first + Math.min(step, room));
      // Blocks that reach little give few rows, so more of them are needed.
      step = Math.min(BLOCKS_PER_READ, step * 2);
      const some = ordinals.slice(first, end);
      const wanted = query.withMissing ? some : some.filter((block) => index.isRoutable(block));
      const times = await rows.times.read(county, index, wanted);
      blocksRead += wanted.length;
      for (const [i, ordinal] of wanted.entries()) {
        rows.add(index, ordinal, times[i], outlineOf(index.geoids[ordinal]));
        if (rows.hasMore) return rows.end;
        await release.turns.yieldIfOverdue();
      }
    }
  }
  return null;
}

type OutlineOf = (block: GeoidNumber) => PolygonGeometry | undefined;

/**
 * Returns a lookup of the outlines of blocks of a county; all undefined if the format has no
 * geometries.
 */
async function outlinesFor(
  format: RowFormat,
  release: Release,
  county: CountyManifest,
): Promise<OutlineOf> {
  if (format.name !== 'geojson') return () => undefined;
  const { outlines } = await release.areas(county);
  return (block) => {
    const area = ordinalIn(outlines.geoids, block);
    return area === -1 ? undefined : geometryOf(polygonsOf(outlines, area));
  };
}

/**
 * Number of blocks that fill a page if each has all its rows, plus one to detect whether there are
 * more. At most `BLOCKS_PER_READ`.
 */
function minBlocks(release: Release, { query, nthFilter, page }: ResolvedArea): number {
  const { modes, types } = query;
  const { limit } = page;
  const rowsPerCell = nthFilter?.nths?.length ?? 1;
  const rowsPerBlock =
    modes.length * (types?.size ?? release.taxonomy.leafIds.length) * rowsPerCell;
  return Math.min(BLOCKS_PER_READ, Math.ceil(limit / Math.max(1, rowsPerBlock)) + 1);
}

interface AreaRowsParams extends CellParams, NthParams {
  readonly include_population: boolean;
  readonly include_missing: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ResolvedArea extends PagedRequest {
  readonly query: ArealQuery;
  readonly nthFilter: NthFilter | null;
}

export function resolveArea(
  release: Release,
  cursors: CursorSealer,
  route: string,
  where: object,
  {
    nth,
    count_within,
    include_population,
    include_missing,
    limit,
    cursor,
    ...cells
  }: AreaRowsParams,
  part: 'query' | 'body' = 'query',
): ResolvedArea {
  const { filter, sent: sentCells, resolved } = requestedCells(release, cells, part);
  const nthFilter = requestedNth(filter, { nth, count_within });
  const counted = { nth, count_within };
  const sent = { ...where, ...sentCells, ...counted, include_population, include_missing };
  return {
    ...pagedRequest(cursors, route, { sent, resolved }, { limit, cursor }, beginOf(0, nthFilter)),
    query: { ...filter, withPopulation: include_population, withMissing: include_missing },
    nthFilter,
  };
}

/**
 * Returns the position before all rows of a block and of higher GEOIDs: GEOID, type id, mode id
 * and, with `nthFilter`, n.
 */
function beginOf(block: GeoidNumber, nthFilter: NthFilter | null): Page['position'] {
  return nthFilter === null ? [block, 0, 0] : [block, 0, 0, 0];
}

export async function queryArea(
  release: Release,
  context: QueryContext,
  resolved: ResolvedArea,
  { counties, beyond }: FoundBlocks,
): Promise<QueryResult> {
  const { query, nthFilter, page } = resolved;
  const results = context.format.rows(allColumns(arealParts(query, nthFilter)));
  const add = <Times>(times: AreaTimes<Times>) => {
    const rows = new AreaRows(results, release, times, resolved);
    return addArealPage(rows, release, context, resolved, counties);
  };
  const end = await (nthFilter === null
    ? add(nearestTimes(release, query))
    : add(nthTimes(release, nthFilter)));
  // If all rows found fit, the next page starts with the blocks not yet looked up.
  const next = end ?? (beyond && beginOf(beyond, nthFilter));
  const next_cursor = nextCursor(context.cursors, page, next);
  return rowsResponse({ results, next_cursor }, results.count);
}
