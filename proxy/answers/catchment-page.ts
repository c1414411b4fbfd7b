import { breathe } from '../../shards/breathe.ts';
import { type GeoidNumber, geoidFromNumber } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { ModeRow } from '../../shards/matrix/row-codec.ts';
import { type Mode, modeIdOf } from '../../shards/modes.ts';
import type { Catchments, Release } from '../../shards/release.ts';
import type { DestId, Tenths } from '../../shards/units.ts';
import { Problem } from '../http/problem.ts';
import type { Page } from './paged-request.ts';

/** Which blocks of a place's catchment are wanted. */
export interface CatchmentFilter {
  /** Positions among the release's modes, ascending. */
  readonly modes: readonly number[];
  readonly blocks: ReadonlySet<GeoidNumber> | undefined;
  readonly maxTenths: Tenths;
}

export interface CatchmentRow {
  readonly dest_id: DestId;
  readonly geoid: string;
  readonly mode: Mode;
  readonly travel_time: number;
}

/** The county a place is at home in, which the release keeps in memory; `poi-not-found` if none. */
export async function homeCounty(release: Release, destId: DestId): Promise<CountyManifest> {
  const fips = (await release.destIds()).countyOf(destId);
  const county = fips === null ? undefined : release.county(fips);
  if (county) return county;
  throw noSuchPoi(destId);
}

function noSuchPoi(destId: DestId): Problem {
  const detail = `there is no point of interest ${destId}`;
  return new Problem('poi-not-found', detail, { dest_id: destId });
}

/** Reads a place's catchment row. At most one range read once the county's head is kept. */
export async function catchmentRow(
  release: Release,
  county: CountyManifest,
  destId: DestId,
): Promise<{ places: Catchments; row: ModeRow[] }> {
  const places = await release.catchments(county);
  return { places, row: await places.matrix.row(placeOrdinal(places, destId)) };
}

/** Where a place stands in its county; it is there, or the directory is wrong. */
export function placeOrdinal(places: Catchments, destId: DestId): number {
  const ordinal = places.matrix.originOrdinal(destId);
  if (ordinal !== -1) return ordinal;
  throw noSuchPoi(destId);
}

/** The position before all rows of a place. */
export const CATCHMENT_BEGINS = [0, -1];

/** Entries of a row looked at between two looks at the clock. */
const ENTRIES_A_STEP = 256;

/** The next `limit` blocks that reach a place after a position (mode id, GEOID). */
export async function catchmentPage(
  modes: readonly Mode[],
  { matrix }: Catchments,
  row: readonly ModeRow[],
  destId: DestId,
  filter: CatchmentFilter,
  { position: [afterModeId, afterGeoid], limit }: Pick<Page, 'position' | 'limit'>,
): Promise<{ results: CatchmentRow[]; more: boolean }> {
  const results: CatchmentRow[] = [];
  for (const position of filter.modes) {
    const mode = modes[position];
    const modeId = modeIdOf(mode);
    if (modeId < afterModeId) continue;
    const { targets, times } = row[position];
    for (let i = 0; i < targets.length; i++) {
      const pause = i % ENTRIES_A_STEP === 0 ? breathe() : undefined;
      if (pause) await pause;
      const geoid = matrix.targets[targets[i]];
      if (modeId === afterModeId && geoid <= afterGeoid) continue;
      if (times[i] > filter.maxTenths || filter.blocks?.has(geoid) === false) continue;
      if (results.length === limit) return { results, more: true };
      const travel_time = times[i] / 10;
      results.push({ dest_id: destId, geoid: geoidFromNumber(geoid), mode, travel_time });
    }
  }
  return { results, more: false };
}
