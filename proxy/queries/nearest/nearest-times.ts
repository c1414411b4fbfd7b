import { z } from 'zod';
import type { EncodedRow } from '../../../shards/matrix/row-codec.ts';
import type { Mode } from '../../../shards/modes.ts';
import { insertNth, MAX_NTH } from '../../../shards/nearest/nth-nearest.ts';
import type { PoiTable } from '../../../shards/pois/poi-table.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { DestTypeId, Tenths } from '../../../shards/units.ts';
import { BOUNDS } from '../../bounds.ts';
import { Columns, NO_COLUMNS } from '../../formats/columns.ts';
import type { CellFilter } from '../modes-and-types.ts';
import type { OriginBlock } from '../origins/origin-block.ts';

/** Filter of a request for the n-th nearest POIs of each type, or for counts of POIs. */
export interface NthFilter extends CellFilter {
  /** Ascending; null if rows are for the nearest POI and do not state `nth`. */
  readonly nths: readonly number[] | null;
  /** Time within which POIs are counted; null if rows have no count. */
  readonly countTenths: Tenths | null;
}

/** The time to the n-th nearest POI of a type, by one mode. */
export interface NthTime {
  readonly mode: Mode;
  readonly type: DestTypeId;
  readonly nth: number;
  readonly tenths: Tenths;
  /** Number of POIs of the type within the filter's `countTenths`; 0 if none are counted. */
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

/** As `nthTimesOf`, to the nearest POI of each type. */
export async function nearestTimesOf(
  { release, county, index, ordinal }: OriginBlock,
  { modes, types }: CellFilter,
): Promise<NthTime[]> {
  if (!index.isRoutable(ordinal)) return [];
  const times = await release.nearest(county, ordinal);
  const { leafIds } = release.taxonomy;
  const found: NthTime[] = [];
  for (const position of modes) {
    const { mode } = release.services[position];
    for (let leaf = 0; leaf < leafIds.length; leaf++) {
      const tenths = times[position * leafIds.length + leaf];
      if (tenths === 0 || types?.has(leafIds[leaf]) === false) continue;
      found.push({ mode, type: leafIds[leaf], nth: 1, tenths, count: 0 });
    }
  }
  return found;
}

/**
 * Returns the times from a block to its n-th nearest POIs, ordered by mode id, type id, n; times
 * beyond 30 minutes are absent. Takes at most one range read once the county's head is cached.
 */
export async function nthTimesOf(
  { release, county, index, ordinal }: OriginBlock,
  filter: NthFilter,
): Promise<NthTime[]> {
  if (!index.isRoutable(ordinal)) return [];
  const { matrix, table } = await release.pois(county);
  const leaves = leavesOf(release, filter);
  const row = await matrix.encodedRow(ordinal);
  const rows: NthTime[] = [];
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
export function nthColumns(filter: NthFilter | null) {
  return [
    filter?.nths == null ? NO_COLUMNS : NTH,
    filter?.countTenths == null ? NO_COLUMNS : COUNT,
  ] as const;
}
