import { breathe } from '../../shards/breathe.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { BlockIndex } from '../../shards/index/block-index.ts';
import { modeIdOf } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { CountyBlocks } from './blocks-in-area.ts';
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
 * The next `limit` rows of some blocks, none below that of a position (GEOID, type id, mode id), after
 * that position; and whether there are more.
 */
export async function arealPage(
  release: Release,
  found: AsyncIterable<CountyBlocks>,
  query: ArealQuery,
  { position, limit }: Page,
): Promise<{ results: ArealRow[]; more: boolean }> {
  const results: ArealRow[] = [];
  const step = blocksARead(release, query, limit);
  for await (const { ordinals, ...county } of found) {
    for (let first = 0; first < ordinals.length; first += step) {
      const blocks = { ...county, ordinals: ordinals.slice(first, first + step) };
      for (const rows of await blockRows(release, blocks, query, position)) {
        for (const row of rows) {
          if (results.length === limit) return { results, more: true };
          results.push(row);
        }
      }
      const pause = breathe();
      if (pause) await pause;
    }
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
  { county, index, ordinals }: CountyBlocks,
  query: ArealQuery,
  position: Page['position'],
): Promise<ArealRow[][]> {
  const wanted = query.withMissing ? ordinals : ordinals.filter((block) => index.isRoutable(block));
  const times = await release.nearestRows(county, wanted);
  return wanted.map((ordinal, i) => rowsOf(release, times[i], index, ordinal, query, position));
}

function rowsOf(
  release: Release,
  times: Uint16Array,
  index: BlockIndex,
  ordinal: number,
  { modes, types, withPopulation, withMissing }: ArealQuery,
  [afterGeoid, afterType, afterMode]: Page['position'],
): ArealRow[] {
  const { leafIds } = release.taxonomy;
  const modeIds = release.manifest.modes.map(modeIdOf);
  const block = index.geoids[ordinal];
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
