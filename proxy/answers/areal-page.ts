import { breathe } from '../../shards/breathe.ts';
import { countyOf, type GeoidNumber, geoidFromNumber } from '../../shards/geoid.ts';
import type { BlockIndex } from '../../shards/index/block-index.ts';
import { modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { Page } from './paged-request.ts';
import type { SummaryFilter } from './summary.ts';
import { unroutedReason } from './unrouted.ts';

/** Which rows of an area's blocks are wanted. */
export interface ArealQuery extends SummaryFilter {
  readonly withPopulation: boolean;
  /** Whether there is a row too where there is no time, which says why. */
  readonly withMissing: boolean;
}

export interface ArealRow {
  readonly geoid: string;
  readonly dest_type_id: DestTypeId;
  readonly mode_id: number;
  readonly travel_time: number | null;
  readonly reason?: MissingReason;
  readonly population?: number | null;
}

/** Why there is no time: it is too far, or it could not be known. */
export type MissingReason = 'not-within-30' | 'no-data';

/** Blocks read together; a page of many rows needs few of them. */
const BLOCKS_A_READ = 32;

/**
 * The next `limit` rows of some blocks, which ascend, after a position (GEOID, type id, mode id), and
 * whether there are more.
 */
export async function arealPage(
  release: Release,
  blocks: readonly GeoidNumber[],
  query: ArealQuery,
  { position, limit }: Page,
): Promise<{ results: ArealRow[]; more: boolean }> {
  const results: ArealRow[] = [];
  const [afterGeoid] = position;
  const open = blocks.filter((block) => block >= afterGeoid);
  const step = blocksARead(release, query, limit);
  for (let first = 0; first < open.length; first += step) {
    for (const rows of await blockRows(release, open.slice(first, first + step), query, position)) {
      for (const row of rows) {
        if (results.length === limit) return { results, more: true };
        results.push(row);
      }
    }
    const pause = breathe();
    if (pause) await pause;
  }
  return { results, more: false };
}

function blocksARead(
  release: Release,
  { modes, types, withMissing }: ArealQuery,
  limit: number,
): number {
  if (!withMissing) return BLOCKS_A_READ;
  const rowsABlock = modes.length * (types?.size ?? release.taxonomy.leafIds.length);
  return Math.min(BLOCKS_A_READ, Math.ceil(limit / Math.max(1, rowsABlock)) + 1);
}

async function blockRows(
  release: Release,
  blocks: readonly GeoidNumber[],
  query: ArealQuery,
  position: Page['position'],
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
        .filter(
          ({ ordinal }) => ordinal !== -1 && (query.withMissing || index.isRoutable(ordinal)),
        );
      const times = await release.nearestRows(
        county,
        known.map(({ ordinal }) => ordinal),
      );
      return known.map(({ block, ordinal }, i) =>
        rowsOf(release, block, times[i], index, ordinal, query, position),
      );
    }),
  );
  return rows.flat();
}

function rowsOf(
  release: Release,
  block: GeoidNumber,
  times: Uint16Array,
  index: BlockIndex,
  ordinal: number,
  { modes, types, withPopulation, withMissing }: ArealQuery,
  [afterGeoid, afterType, afterMode]: Page['position'],
): ArealRow[] {
  const { leafIds } = release.taxonomy;
  const modeIds = release.manifest.modes.map(modeIdOf);
  const geoid = geoidFromNumber(block);
  const besideTime = withPopulation ? { population: index.population(ordinal) } : {};
  const isKnown = index.isFullyRoutable(ordinal)
    ? () => true
    : (mode: number) => unroutedReason(index, ordinal, release.manifest.modes[mode]) === null;
  const rows: ArealRow[] = [];
  leafIds.forEach((type, leaf) => {
    if (types?.has(type) === false || (block === afterGeoid && type < afterType)) return;
    for (const mode of modes) {
      const tenths = times[mode * leafIds.length + leaf];
      if (tenths === 0 && !withMissing) continue;
      const modeId = modeIds[mode];
      if (block === afterGeoid && type === afterType && modeId <= afterMode) continue;
      rows.push({
        geoid,
        dest_type_id: type,
        mode_id: modeId,
        ...(tenths === 0
          ? { travel_time: null, reason: isKnown(mode) ? 'not-within-30' : 'no-data' }
          : { travel_time: tenths / 10 }),
        ...besideTime,
      });
    }
  });
  return rows;
}
