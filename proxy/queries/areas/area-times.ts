import { ordinalIn } from '../../../shards/arrays/sorted.ts';
import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import type { GeoidNumber } from '../../../shards/geoid.ts';
import { geometryOf, type PolygonGeometry, polygonsOf } from '../../../shards/geometry/geo-json.ts';
import { MODES, type Mode, type ModeId, modeIdOf } from '../../../shards/modes.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Bytes, CountyBlock, DestTypeId } from '../../../shards/units.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { type ByteText, inOnePiece } from '../../formats/byte-text.ts';
import { perFormat, type RowFormat } from '../../formats/row-format.ts';
import { AREAL } from '../../formats/row-table.ts';
import { Rows } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import { requestedCells, type SummaryFilter } from '../nearest/summary.ts';
import { unroutedReason } from '../origins/unrouted.ts';
import { GeoidFragment, type TypeText, textsOfTimes, typeTexts } from '../rows/fragments.ts';
import { nextCursor, type Page, type PagedRequest, pagedRequest } from '../rows/pagination.ts';
import type { CountyBlocks, FoundBlocks } from './drawn-blocks.ts';

/** Row filter for the blocks of an area. */
interface ArealQuery extends SummaryFilter {
  readonly withPopulation: boolean;
  /** Whether pairs without a time get a row too, with the reason. */
  readonly withMissing: boolean;
}

/** Why there is no time: too far, or unknown. */
export const MISSING_REASONS = ['not-within-30', 'no-data'] as const;
type MissingReason = (typeof MISSING_REASONS)[number];

/** Maximum number of blocks read together. */
const BLOCKS_PER_READ = 32;
/** Ends a page of outlines: those of remote blocks have thousands of vertices. */
const PAGE_BYTES: Bytes = 4 << 20;

/**
 * Adds the next `limit` rows of some blocks after a position (GEOID, type id, mode id); no block is
 * below that of the position. Returns where the page ends, if there are more rows.
 */
async function addArealPage(
  results: Rows,
  release: Release,
  found: AsyncIterable<CountyBlocks>,
  query: ArealQuery,
  { position, limit }: Page,
  waiters: Waiters,
): Promise<Page['position'] | null> {
  const page = new ArealRows(results, release, query, position, limit);
  let step = minBlocks(release, query, limit);
  for await (const { ordinals, county, index } of found) {
    const outlineOf = await outlinesFor(results.format, release, county, waiters);
    for (let first = 0, end: number; first < ordinals.length; first = end) {
      end = Math.min(ordinals.length, first + step);
      // Blocks that reach little give few rows, so more of them are needed.
      step = Math.min(BLOCKS_PER_READ, step * 2);
      const some = ordinals.slice(first, end);
      const wanted = query.withMissing ? some : some.filter((block) => index.isRoutable(block));
      const times = await release.nearestRows(county, wanted);
      for (const [i, ordinal] of wanted.entries()) {
        page.add(index, ordinal, times[i], outlineOf(index.geoids[ordinal]));
        if (page.hasMore) return page.end;
        const pause = yieldIfOverdue(waiters);
        if (pause) await pause;
      }
    }
  }
  return null;
}

type OutlineOf = (block: GeoidNumber) => PolygonGeometry | undefined;

/** The outlines of a county's blocks, where the format has geometries. */
async function outlinesFor(
  format: RowFormat,
  release: Release,
  county: CountyManifest,
  waiters: Waiters,
): Promise<OutlineOf> {
  if (format.name !== 'geojson') return () => undefined;
  const { outlines } = await release.areas(county, waiters);
  return (block) => {
    const area = ordinalIn(outlines.geoids, block);
    return area === -1 ? undefined : geometryOf(polygonsOf(outlines, area));
  };
}

/**
 * Number of blocks that fill a page if each has all its rows, plus one to see whether there are
 * more.
 */
function minBlocks(release: Release, { modes, types }: ArealQuery, limit: number): number {
  const rowsABlock = modes.length * (types?.size ?? release.taxonomy.leafIds.length);
  return Math.min(BLOCKS_PER_READ, Math.ceil(limit / Math.max(1, rowsABlock)) + 1);
}

/** The rows of a page, added block by block. */
class ArealRows {
  readonly #rows: Rows;
  readonly #release: Release;
  readonly #query: ArealQuery;
  readonly #after: Page['position'];
  readonly #limit: number;
  readonly #modeIds: readonly ModeId[];
  readonly #geoidText: GeoidFragment;
  readonly #typeText: TypeText;
  readonly #texts: ArealTexts;
  /** Position of the last row. */
  end: Page['position'] = [];
  /** Whether a row did not fit the page. */
  hasMore = false;

  constructor(
    rows: Rows,
    release: Release,
    query: ArealQuery,
    after: Page['position'],
    limit: number,
  ) {
    this.#rows = rows;
    this.#release = release;
    this.#query = query;
    this.#after = after;
    this.#limit = limit;
    this.#modeIds = release.manifest.modes.map(modeIdOf);
    this.#geoidText = new GeoidFragment(rows.format);
    this.#typeText = typeTexts(rows.format, query.labels);
    const columns = arealTexts(rows.format)[query.withMissing ? 'missing' : 'reached'];
    this.#texts = columns[query.withPopulation ? 'amid' : 'last'];
  }

  /** Adds the rows of a block, as far as there is room. */
  add(
    index: BlockIndex,
    ordinal: CountyBlock,
    times: Uint16Array,
    outline: PolygonGeometry | undefined,
  ): void {
    const { format } = this.#rows;
    const { leafIds } = this.#release.taxonomy;
    const { modes, types, withPopulation, withMissing } = this.#query;
    const [afterGeoid, afterType, afterMode] = this.#after;
    const block = index.geoids[ordinal];
    const before = this.#rows.count;
    let lastType = 0;
    let lastMode = 0;
    const begin = `${format.begin(outline)}${this.#geoidText.of(block)},`;
    const population = { population: index.population(ordinal) };
    const end = withPopulation ? `,${format.members(population, ['population'])}${format.end}` : '';
    rows: for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const type = leafIds[leaf];
      if (types?.has(type) === false || (block === afterGeoid && type < afterType)) continue;
      const typeBegin = begin + this.#typeText(type);
      for (const mode of modes) {
        const tenths = times[mode * leafIds.length + leaf];
        if (tenths === 0 && !withMissing) continue;
        const modeId = this.#modeIds[mode];
        if (block === afterGeoid && type === afterType && modeId <= afterMode) continue;
        if (this.#rows.count === this.#limit || this.#rows.bytes > PAGE_BYTES) {
          this.hasMore = true;
          break rows;
        }
        const { reached, missing } = this.#texts[modeId];
        const time = tenths > 0 ? reached[tenths] : missing[this.#reason(index, ordinal, mode)];
        this.#rows.add(typeBegin + time + end);
        lastType = type;
        lastMode = modeId;
      }
    }
    if (this.#rows.count > before) this.end = [block, lastType, lastMode];
  }

  #reason(index: BlockIndex, ordinal: CountyBlock, mode: number): MissingReason {
    if (index.isFullyRoutable(ordinal)) return 'not-within-30';
    const unrouted = unroutedReason(index, ordinal, this.#release.manifest.modes[mode]);
    return unrouted === null ? 'not-within-30' : 'no-data';
  }
}

/** Members `mode_id`, `mode`, `travel_time` and `reason` of rows, by mode. */
type ArealTexts = Readonly<
  Record<
    ModeId,
    {
      /** By tenths of a minute. */
      readonly reached: readonly ByteText[];
      readonly missing: Readonly<Record<MissingReason, ByteText>>;
    }
  >
>;

/**
 * With and without the column of reasons; in the middle of a row, or at its end with the row
 * terminator.
 */
const arealTexts = perFormat((format) => {
  const texts = (columns: readonly string[], end: ByteText) =>
    Object.fromEntries(
      MODES.map(({ modeId: mode_id, mode }) => {
        const text = (members: object) =>
          inOnePiece(format.members({ mode_id, mode, ...members }, columns) + end);
        const missing = (reason: MissingReason) => text({ travel_time: null, reason });
        return [
          mode_id,
          {
            reached: textsOfTimes((travel_time) => text({ travel_time })),
            missing: { 'not-within-30': missing('not-within-30'), 'no-data': missing('no-data') },
          },
        ];
      }),
    ) as ArealTexts;
  const placed = (columns: readonly string[]) => ({
    amid: texts(columns, ''),
    last: texts(columns, format.end),
  });
  return {
    reached: placed(['mode_id', 'mode', 'travel_time']),
    missing: placed(['mode_id', 'mode', 'travel_time', 'reason']),
  };
});

/** Request of an areal route, apart from its area. */
interface AreaRowsParams {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly DestTypeId[] | undefined;
  readonly names: boolean;
  readonly include_population: boolean;
  readonly include_missing: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of areal rows, without its blocks. */
export interface ResolvedArea extends PagedRequest {
  readonly query: ArealQuery;
}

/** `where`: the parameters that identify the area. */
export function resolveArea(
  release: Release,
  cursors: CursorSealer,
  route: string,
  where: object,
  { include_population, include_missing, limit, cursor, ...cells }: AreaRowsParams,
  part: 'query' | 'body' = 'query',
): ResolvedArea {
  const { filter, spelled } = requestedCells(release, cells, part);
  const asked = { ...where, ...spelled, include_population, include_missing };
  return {
    ...pagedRequest(cursors, route, asked, { limit, cursor }, [0, 0, 0]),
    query: { ...filter, withPopulation: include_population, withMissing: include_missing },
  };
}

/** Renders the page for some blocks. */
export async function queryArea(
  release: Release,
  { cursors, waiters, format }: QueryContext,
  { query, page }: ResolvedArea,
  { counties, beyond }: FoundBlocks,
): Promise<QueryResult> {
  const results = new Rows(format);
  const end = await addArealPage(results, release, counties, query, page, waiters);
  // If all rows found fit, the next page starts with the blocks not yet looked up.
  const next = end ?? (beyond && [beyond, 0, 0]);
  const next_cursor = nextCursor(cursors, page, next);
  const response = rowsResponse({ results, next_cursor }, results.count);
  return { ...response, columns: columnsOf(query) };
}

/** The columns that the request selected: the same on every page. */
function columnsOf({ labels, withPopulation, withMissing }: ResolvedArea['query']): string[] {
  return AREAL.columns.filter(
    (column) =>
      (labels !== null || column !== 'dest_type') &&
      (withPopulation || column !== 'population') &&
      (withMissing || column !== 'reason'),
  );
}
