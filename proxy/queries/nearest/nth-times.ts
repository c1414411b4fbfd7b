import { z } from 'zod';
import type { EncodedRow } from '../../../shards/matrix/row-codec.ts';
import { type Mode, modeIdOf } from '../../../shards/modes.ts';
import { insertNth, MAX_NTH } from '../../../shards/nearest/nth-nearest.ts';
import type { PoiTable } from '../../../shards/pois/poi-table.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { DestTypeId, Tenths } from '../../../shards/units.ts';
import { BOUNDS } from '../../bounds.ts';
import { Columns, NO_COLUMNS } from '../../formats/columns.ts';
import type { FoundRows } from '../../formats/rows.ts';
import type { CellFilter } from '../modes-and-types.ts';
import type { OriginBlock } from '../origins/origin-block.ts';
import { isAfter, type Page } from '../rows/pagination.ts';
import { NO_ORIGIN, TIME, timeKey, typeColumns } from '../rows/row-columns.ts';

/** Filter of a request for the n-th nearest POIs of each type, or for counts of POIs. */
export interface NthFilter extends CellFilter {
  /** Ascending; null if rows are for the nearest POI and do not state `nth`. */
  readonly nths: readonly number[] | null;
  /** Time within which POIs are counted; null if rows have no count. */
  readonly countTenths: Tenths | null;
}

/** The n-th nearest POI of a type, by one mode. */
export interface NthRow {
  readonly mode: Mode;
  readonly type: DestTypeId;
  readonly nth: number;
  readonly tenths: Tenths;
  /** Number of POIs of the type within the filter's `countTenths`. */
  readonly count: number;
}

/** POIs read between two clock checks. */
const POIS_PER_STEP = 2_048;

/** Times to the nearest POIs of each requested leaf type by one mode, and counts of POIs. */
export interface TypeTimes {
  /** The `MAX_NTH` shortest times of each type, ascending and padded with zeros. */
  readonly lists: Uint16Array;
  /** Number of POIs of each type within the filter's `countTenths`. */
  readonly counts: Uint32Array;
}

/** The leaf types of a filter, ascending. */
export function leavesOf({ taxonomy }: Release, { types }: CellFilter): readonly DestTypeId[] {
  return taxonomy.leafIds.filter((leaf) => types?.has(leaf) !== false);
}

/** Extracts the times of a block from its row, by mode of the filter. */
export async function typeTimesOf(
  { turns }: Release,
  row: EncodedRow,
  table: PoiTable,
  leaves: readonly DestTypeId[],
  { modes, countTenths }: NthFilter,
): Promise<TypeTimes[]> {
  const positionOf = new Map(leaves.map((leaf, position) => [leaf, position]));
  const byMode: TypeTimes[] = [];
  for (const position of modes) {
    const { targets, times } = row.mode(position);
    const lists = new Uint16Array(leaves.length * MAX_NTH);
    const counts = new Uint32Array(leaves.length);
    for (let i = 0; i < targets.length; i++) {
      const time = times[i];
      for (const type of table.types(targets[i])) {
        const leaf = positionOf.get(type);
        if (leaf === undefined) continue;
        insertNth(lists, leaf, time);
        if (countTenths !== null && time <= countTenths) counts[leaf]++;
      }
      if ((i + 1) % POIS_PER_STEP === 0) await turns.yieldIfOverdue();
    }
    byMode.push({ lists, counts });
  }
  return byMode;
}

/**
 * Returns the times from a block to its n-th nearest POIs, ordered by mode id, type id, n; times
 * beyond 30 minutes are absent. Takes at most one range read once the county's head is cached.
 */
export async function nthTimesOf(
  { release, county, index, ordinal }: OriginBlock,
  filter: NthFilter,
): Promise<NthRow[]> {
  if (!index.isRoutable(ordinal)) return [];
  const { matrix, table } = await release.pois(county);
  const leaves = leavesOf(release, filter);
  const row = await matrix.encodedRow(ordinal);
  const rows: NthRow[] = [];
  for (const [m, times] of (await typeTimesOf(release, row, table, leaves, filter)).entries()) {
    const mode = release.services[filter.modes[m]].mode;
    for (const [leaf, type] of leaves.entries()) {
      for (const nth of filter.nths ?? [1]) {
        const tenths = times.lists[leaf * MAX_NTH + nth - 1];
        if (tenths === 0) break;
        rows.push({ mode, type, nth, tenths, count: times.counts[leaf] });
      }
    }
  }
  return rows;
}

/** Renders the rows. `origin`: the members that identify the origin in a batch. */
export function nthRows(
  { turns }: Release,
  found: readonly NthRow[],
  filter: NthFilter,
  { columns, name } = NO_ORIGIN,
): FoundRows {
  return {
    count: found.length,
    async addTo(rows) {
      const add = rows.of(columns, typeColumns(filter.labels), TIME, ...nthColumns(filter));
      for (const { mode, type, nth, tenths, count } of found) {
        add(name, type, timeKey(mode) + tenths, nth, count);
        const pause = turns.yieldIfOverdue();
        if (pause) await pause;
      }
    },
  };
}

export const NTH = new Columns<number | undefined>({
  nth: {
    type: 'int32',
    schema: z
      .int()
      .min(BOUNDS.nth.min)
      .max(BOUNDS.nth.max)
      .optional()
      .meta({ description: 'With `nth`: the time is to the n-th nearest POI of the type.' }),
    of: (nth) => nth,
  },
});
export const COUNT = new Columns<number>({
  count: {
    type: 'double',
    schema: z.int().min(0).optional().meta({
      description: 'With `count_within`: the number of POIs of the type within so many minutes.',
    }),
    of: (count) => count,
  },
});

/** Columns that follow those of a summary of the nearest POIs. */
export function nthColumns({ nths, countTenths }: NthFilter) {
  return [
    nths === null ? NO_COLUMNS : NTH,
    countTenths === null ? NO_COLUMNS : COUNT,
  ] as const satisfies readonly unknown[];
}

/** The position before all rows: mode id, type id, n. */
export const NTH_BEGINS = [0, 0, 0];

/** Returns the rows of a page, and the position of its last row; null if there are no more rows. */
export function nthPage(
  all: readonly NthRow[],
  { position, limit }: Pick<Page, 'position' | 'limit'>,
): { rows: NthRow[]; end: Page['position'] | null } {
  const open = all.filter((row) => isAfter(positionOf(row), position));
  const rows = open.slice(0, limit);
  const isLast = rows.length === open.length;
  return { rows, end: isLast ? null : positionOf(rows[rows.length - 1]) };
}

function positionOf({ mode, type, nth }: NthRow): Page['position'] {
  return [modeIdOf(mode), type, nth];
}
