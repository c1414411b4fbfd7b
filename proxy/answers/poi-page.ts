import { breathe } from '../../shards/breathe.ts';
import { type Mode, modeIdOf } from '../../shards/modes.ts';
import type { PoiMatrix } from '../../shards/release.ts';
import type { DestId, DestTypeId, Tenths } from '../../shards/units.ts';
import type { LocatedBlock } from './located-block.ts';
import type { Page } from './paged-request.ts';

/** Which rows of a block's POIs are wanted. */
export interface PoiFilter {
  /** Positions among the release's modes, ascending. */
  readonly modes: readonly number[];
  readonly types: ReadonlySet<DestTypeId> | undefined;
  readonly destIds: ReadonlySet<DestId> | undefined;
  readonly maxTenths: Tenths;
}

/** A row as the API gives it. */
export interface PoiTimeRow {
  readonly dest_id: DestId;
  readonly mode: Mode;
  readonly travel_time: number;
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  readonly address: {
    readonly street: string | null;
    readonly city: string | null;
    readonly state: string | null;
    readonly zip: string | null;
  };
}

/** The position before all rows of a block: no `dest_id` is below 0. */
export const POIS_BEGIN = [0, -1];

/** Entries of a row looked at between two looks at the clock. */
const ENTRIES_A_STEP = 64;

/**
 * The next `limit` rows of a block after a position (mode id, `dest_id`), and whether there are more.
 * Targets ascend by `dest_id` within a mode, so a page is a walk along the row. At most one range
 * read once the county's head is kept.
 */
export async function poisOf(
  { release, county, ordinal }: LocatedBlock,
  filter: PoiFilter,
  { position: [afterModeId, afterDestId], limit }: Pick<Page, 'position' | 'limit'>,
): Promise<{ results: PoiTimeRow[]; more: boolean }> {
  const pois = await release.pois(county);
  const row = await pois.matrix.row(ordinal);
  const { modes } = release.manifest;
  const results: PoiTimeRow[] = [];
  for (const mode of filter.modes) {
    const modeId = modeIdOf(modes[mode]);
    if (modeId < afterModeId) continue;
    const { targets, times } = row[mode];
    for (let i = 0; i < targets.length; i++) {
      const pause = i % ENTRIES_A_STEP === 0 ? breathe() : undefined;
      if (pause) await pause;
      const destId = pois.matrix.targets[targets[i]];
      if (modeId === afterModeId && destId <= afterDestId) continue;
      if (times[i] > filter.maxTenths || !isWanted(pois, filter, targets[i], destId)) continue;
      if (results.length === limit) return { results, more: true };
      results.push(poiTimeRow(pois, targets[i], destId, modes[mode], times[i]));
    }
  }
  return { results, more: false };
}

function isWanted(pois: PoiMatrix, filter: PoiFilter, target: number, destId: DestId): boolean {
  if (filter.destIds && !filter.destIds.has(destId)) return false;
  const { types } = filter;
  return types === undefined || pois.table.types(target).some((type) => types.has(type));
}

function poiTimeRow(
  pois: PoiMatrix,
  target: number,
  destId: DestId,
  mode: Mode,
  tenths: Tenths,
): PoiTimeRow {
  const { name, lon, lat, street, city, state, zip } = pois.table.facts(target);
  const address = { street, city, state, zip };
  return { dest_id: destId, mode, travel_time: tenths / 10, name, lon, lat, address };
}
