import type { Mode } from '../../shards/modes.ts';
import type { NaiveBlock, NaivePoi, NaiveRelease, NaiveTime } from './naive-release.ts';

/**
 * The filters of a request. The functions below compute expected responses by filter and sort over
 * the plain arrays of a release.
 */
export interface Filter {
  readonly mode?: readonly Mode[];
  readonly type?: readonly number[];
  readonly dest_id?: readonly number[];
  readonly max_minutes?: number;
}

/** Rows of a block's summary: the least time among the POIs of each leaf type, by mode. */
export function summaryOf(release: NaiveRelease, geoid: string, filter: Filter) {
  const least = new Map<string, number>();
  for (const { mode, poi, travel_time } of release.times.get(geoid)!) {
    for (const type of poi.types) {
      const pair = `${mode} ${type}`;
      least.set(pair, Math.min(travel_time, least.get(pair) ?? travel_time));
    }
  }
  return modesOf(release, filter).flatMap((mode) =>
    leavesOf(release, filter).flatMap((dest_type_id) => {
      const travel_time = least.get(`${mode} ${dest_type_id}`);
      return travel_time === undefined ? [] : [{ dest_type_id, mode, travel_time }];
    }),
  );
}

/** Rows of a block's summary with `nth`, `count_within` or both: times sorted and counted. */
export function nthTimesOf(
  release: NaiveRelease,
  geoid: string,
  { nth, count_within, ...filter }: Filter & { nth?: readonly number[]; count_within?: number },
) {
  return modesOf(release, filter).flatMap((mode) =>
    leavesOf(release, filter).flatMap((dest_type_id) => {
      const times = release.times
        .get(geoid)!
        .filter((row) => row.mode === mode && row.poi.types.includes(dest_type_id))
        .map(({ travel_time }) => travel_time)
        .sort((a, b) => a - b);
      const count = times.filter((time) => time <= count_within!).length;
      return [...(nth ?? [1])]
        .sort()
        .filter((n) => n <= times.length)
        .map((n) => ({
          dest_type_id,
          mode,
          travel_time: times[n - 1],
          ...(nth && { nth: n }),
          ...(count_within !== undefined && { count }),
        }));
    }),
  );
}

/** The summary's entries for modes that could not be routed. */
export function unroutedOf(release: NaiveRelease, block: NaiveBlock, filter: Filter) {
  const unrouted = modesOf(release, filter)
    .map((mode) => ({ mode, reason: linkOf(block, mode) }))
    .filter(({ reason }) => reason !== 'linked');
  return unrouted.length === 0 ? {} : { unrouted };
}

/** The status of a block's link for a mode; a transit trip begins on foot. */
function linkOf({ links }: NaiveBlock, mode: Mode) {
  return links[mode === 'bike' ? 'bike' : 'walk'];
}

/** Rows of the POIs within reach of a block. */
export function poisOf(release: NaiveRelease, geoid: string, filter: Filter) {
  return wanted(release, release.times.get(geoid)!, filter)
    .sort((a, b) => byMode(release, a, b) || a.dest_id - b.dest_id)
    .map(({ mode, travel_time, poi }) => ({ ...found(poi), mode, travel_time }));
}

/** Rows of a POI's catchment. */
export function catchmentOf(release: NaiveRelease, dest_id: number, filter: Filter) {
  const rows = [...release.times.values()].flat().filter((row) => row.dest_id === dest_id);
  return wanted(release, rows, filter)
    .sort((a, b) => byMode(release, a, b) || (a.geoid < b.geoid ? -1 : 1))
    .map(({ poi, ...row }) => row);
}

/** Rows of an area: the summaries of its blocks. */
export function arealOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  filter: Filter,
  include_population = false,
) {
  return [...blocks]
    .sort((a, b) => (a.geoid < b.geoid ? -1 : 1))
    .flatMap(({ geoid, population }) =>
      summaryOf(release, geoid, filter)
        .map(({ dest_type_id, mode, travel_time }) => ({
          geoid,
          dest_type_id,
          mode_id: release.modeIds.get(mode)!,
          mode,
          travel_time,
          ...(include_population ? { population } : {}),
        }))
        .sort((a, b) => a.dest_type_id - b.dest_type_id || a.mode_id - b.mode_id),
    );
}

/** Rows of an area, one for each block, type and mode, with or without a time. */
export function arealWithMissingOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  filter: Filter,
) {
  const known = new Map(
    arealOf(release, blocks, filter).map((row) => [
      `${row.geoid} ${row.dest_type_id} ${row.mode_id}`,
      row,
    ]),
  );
  return [...blocks]
    .sort((a, b) => (a.geoid < b.geoid ? -1 : 1))
    .flatMap((block) =>
      leavesOf(release, filter).flatMap((dest_type_id) =>
        modesOf(release, filter).map((mode) => {
          const mode_id = release.modeIds.get(mode)!;
          const { geoid } = block;
          const reason = linkOf(block, mode) === 'linked' ? 'not-within-30' : 'no-data';
          const missing = { geoid, dest_type_id, mode_id, mode, travel_time: null, reason };
          return known.get(`${geoid} ${dest_type_id} ${mode_id}`) ?? missing;
        }),
      ),
    );
}

/** Rows of an area with `nth`, `count_within` or both; if requested, also those without a time. */
export function arealNthTimesOf(
  release: NaiveRelease,
  blocks: readonly NaiveBlock[],
  { nth, count_within, ...filter }: Filter & { nth?: readonly number[]; count_within?: number },
  include_missing: boolean,
) {
  const rowsOf = (block: NaiveBlock, dest_type_id: number, mode: Mode) => {
    const times = release.times
      .get(block.geoid)!
      .filter((row) => row.mode === mode && row.poi.types.includes(dest_type_id))
      .map(({ travel_time }) => travel_time)
      .sort((a, b) => a - b);
    const isKnown = linkOf(block, mode) === 'linked';
    const count = isKnown ? times.filter((time) => time <= count_within!).length : null;
    return [...(nth ?? [1])].sort().map((n) => ({
      geoid: block.geoid,
      dest_type_id,
      mode_id: release.modeIds.get(mode)!,
      mode,
      travel_time: times[n - 1] ?? null,
      ...(nth && { nth: n }),
      ...(count_within !== undefined && { count }),
      ...(n > times.length && { reason: isKnown ? 'not-within-30' : 'no-data' }),
    }));
  };
  return [...blocks]
    .sort((a, b) => (a.geoid < b.geoid ? -1 : 1))
    .flatMap((block) =>
      leavesOf(release, filter).flatMap((type) =>
        modesOf(release, filter).flatMap((mode) => rowsOf(block, type, mode)),
      ),
    )
    .filter(({ travel_time }) => include_missing || travel_time !== null);
}

/**
 * Whether a search for types and a part of the name finds a POI. Case and accents are ignored.
 */
export function isFound(
  release: NaiveRelease,
  poi: NaivePoi,
  { type, q }: { readonly type?: readonly number[]; readonly q?: string },
): boolean {
  const leaves = leavesOf(release, { type });
  return poi.types.some((one) => leaves.includes(one)) && fold(poi.name).includes(fold(q ?? ''));
}

/** A POI as a search returns it. */
export function found({ dest_id, name, lon, lat, address }: NaivePoi) {
  return { dest_id, name, lon, lat, address };
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function wanted(
  release: NaiveRelease,
  rows: readonly NaiveTime[],
  { type, dest_id, max_minutes, mode }: Filter,
): NaiveTime[] {
  const modes = modesOf(release, { mode });
  const leaves = leavesOf(release, { type });
  return rows
    .filter((row) => modes.includes(row.mode))
    .filter((row) => !dest_id?.length || dest_id.includes(row.dest_id))
    .filter((row) => row.travel_time <= (max_minutes ?? 30))
    .filter((row) => row.poi.types.some((one) => leaves.includes(one)));
}

/** Modes that a filter selects; an absent or empty filter selects all. */
function modesOf({ modes }: NaiveRelease, { mode }: Filter): readonly Mode[] {
  return mode?.length ? modes.filter((one) => mode.includes(one)) : modes;
}

function leavesOf(release: NaiveRelease, { type }: Filter): readonly number[] {
  if (!type?.length) return release.leafIds;
  const leaves = new Set(type.flatMap((id) => release.leavesOf.get(id)!));
  return release.leafIds.filter((id) => leaves.has(id));
}

function byMode({ modeIds }: NaiveRelease, a: { mode: Mode }, b: { mode: Mode }): number {
  return modeIds.get(a.mode)! - modeIds.get(b.mode)!;
}
