import { countyOf, type GeoidNumber, geoidFromNumber } from '../../shards/geoid.ts';
import { modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { SummaryFilter } from './summary.ts';

/** Rows of an area's blocks: GEOID, then type id, then mode id, which is also the keyset. */
export interface ArealQuery extends SummaryFilter {
  /** Ascending. */
  readonly blocks: readonly GeoidNumber[];
  readonly withPopulation: boolean;
  readonly limit: number;
  readonly after: readonly [geoid: GeoidNumber, type: DestTypeId, modeId: number];
}

export interface ArealRow {
  readonly geoid: string;
  readonly dest_type_id: DestTypeId;
  readonly mode_id: number;
  readonly travel_time: number;
  readonly population?: number | null;
}

/** Blocks read together; a page of many rows needs few of them. */
const BLOCKS_A_READ = 32;

/** A page of an area's rows, and whether there are more. */
export async function arealPage(
  release: Release,
  query: ArealQuery,
): Promise<{ results: ArealRow[]; more: boolean }> {
  const results: ArealRow[] = [];
  const [afterGeoid] = query.after;
  const open = query.blocks.filter((block) => block >= afterGeoid);
  for (let first = 0; first < open.length; first += BLOCKS_A_READ) {
    for (const rows of await blockRows(release, open.slice(first, first + BLOCKS_A_READ), query)) {
      for (const row of rows) {
        if (results.length === query.limit) return { results, more: true };
        results.push(row);
      }
    }
  }
  return { results, more: false };
}

async function blockRows(
  release: Release,
  blocks: readonly GeoidNumber[],
  query: ArealQuery,
): Promise<ArealRow[][]> {
  const byCounty = new Map<string, GeoidNumber[]>();
  for (const block of blocks) {
    const fips = countyOf(geoidFromNumber(block));
    byCounty.set(fips, [...(byCounty.get(fips) ?? []), block]);
  }
  const rows = await Promise.all(
    [...byCounty].map(async ([fips, own]) => {
      const county = release.county(fips)!;
      const index = await release.index(county);
      const known = own
        .map((block) => ({ block, ordinal: index.ordinalOf(geoidFromNumber(block)) }))
        .filter(({ ordinal }) => ordinal !== -1 && index.isRoutable(ordinal));
      const times = await release.nearestRows(
        county,
        known.map(({ ordinal }) => ordinal),
      );
      return known.map(({ block, ordinal }, i) =>
        rowsOf(release, block, times[i], index.population(ordinal), query),
      );
    }),
  );
  return rows.flat();
}

function rowsOf(
  release: Release,
  block: GeoidNumber,
  times: Uint16Array,
  population: number | null,
  { modes, types, withPopulation, after: [afterGeoid, afterType, afterMode] }: ArealQuery,
): ArealRow[] {
  const { leafIds } = release.taxonomy;
  const modeIds = release.manifest.modes.map(modeIdOf);
  const geoid = geoidFromNumber(block);
  const rows: ArealRow[] = [];
  leafIds.forEach((type, leaf) => {
    if (types?.has(type) === false || (block === afterGeoid && type < afterType)) return;
    for (const mode of modes) {
      const tenths = times[mode * leafIds.length + leaf];
      if (tenths === 0) continue;
      const modeId = modeIds[mode];
      if (block === afterGeoid && type === afterType && modeId <= afterMode) continue;
      const row = { geoid, dest_type_id: type, mode_id: modeId, travel_time: tenths / 10 };
      rows.push(withPopulation ? { ...row, population } : row);
    }
  });
  return rows;
}
