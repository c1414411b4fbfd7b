import { z } from 'zod';
import { ACCESS_MINUTES } from '../../../shards/access/access-columns.ts';
import { ordinalsOf, rankIn } from '../../../shards/arrays/sorted.ts';
import { type BlockIndex, linkModeOf } from '../../../shards/blocks/block-index.ts';
import { countyOf, type GeoidNumber, geoidFromNumber } from '../../../shards/geoid.ts';
import { type Mode, modeIdOf } from '../../../shards/modes.ts';
import type { CountyManifest, Direction, StateManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { sized } from '../../../shards/release/release-cache.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { CountyFips, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { Columns } from '../../formats/columns.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import { invalidParameters } from '../../http/problem.ts';
import type { QueryContext } from '../../services.ts';
import { type Area, blocksOfArea } from '../areas/area.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { requestedWeights } from '../block-weights.ts';
import { modeLabels, modePositions } from '../modes-and-types.ts';
import { checkDirection } from '../origins/near-points.ts';
import { isAfter, nextCursor, type PagedRequest, pagedRequest } from '../rows/pagination.ts';
import { modeSchema, rowSchema } from '../rows/row-columns.ts';

/** The areas over which counts can be averaged, and the digits of their GEOIDs. */
export const AVERAGED_BY = ['tract', 'place', 'county'] as const;
type AveragedBy = (typeof AVERAGED_BY)[number];
const DIGITS = { block: 15, tract: 11, place: 7, county: 5 } as const;

/** Request for the access of the blocks of an area, apart from the area. */
interface AreaAccessParams {
  readonly mode?: readonly Mode[] | undefined;
  readonly direction: Direction;
  readonly of?: readonly string[] | undefined;
  readonly minutes?: readonly Minutes[] | undefined;
  readonly by?: AveragedBy | undefined;
  readonly weight?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface AreaAccessQuery {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  readonly direction: Direction;
  readonly of: readonly string[];
  readonly minutes: readonly Minutes[];
  /** Null for a row per block. */
  readonly by: AveragedBy | null;
  /** The weight by which blocks count in an average. */
  readonly weight: string;
}

/** A page of the access of an area. */
export interface ResolvedAreaAccess extends PagedRequest {
  readonly area: Area;
  readonly query: AreaAccessQuery;
}

interface AreaCount {
  readonly geoid: string;
  readonly of: string;
  readonly mode: Mode;
  readonly minutes: Minutes;
  readonly count: number;
}
const COUNTS = new Columns<AreaCount>({
  geoid: {
    type: 'string',
    schema: z
      .string()
      .regex(/^\d{5,15}$/)
      .meta({
        description: 'A block; with `by`, a tract, a place or a county.',
      }),
  },
  of: { type: 'string', schema: z.string().meta({ description: 'A weight.' }) },
  mode: { type: 'string', schema: modeSchema },
  minutes: { type: 'int32', schema: z.int() },
  count: {
    type: 'double',
    schema: z.number().min(0).meta({
      description: 'How many are within reach; with `by`, the average, to one decimal.',
    }),
  },
});

/** The rows of the access of an area. */
export const areaCount = rowSchema(COUNTS).meta({
  id: 'AreaOpportunityCount',
  description: 'A count of opportunities within reach of a block, or its average over an area.',
});

/**
 * Resolves a request for the access of an area. Throws `direction-not-available`, and
 * `invalid-parameters` for a weight or time limit that the release does not count.
 */
export function requestedAreaAccess(
  release: Release,
  cursors: CursorSealer,
  { route, where, area }: { route: string; where: object; area: Area },
  { limit, cursor, ...asked }: AreaAccessParams,
  part: 'query' | 'body' = 'query',
): ResolvedAreaAccess {
  const { direction, by = null } = asked;
  checkDirection(release, direction);
  const modes = modePositions(release, asked.mode, part);
  const of = [...(asked.of ?? [PEOPLE.weight])].sort();
  const counted = release.manifest.access;
  const fault = (name: string, msg: string, type: string) =>
    invalidParameters([{ loc: [part, name], msg, type }]);
  const uncounted = of.find((weight) => !counted.includes(weight));
  if (uncounted !== undefined) {
    const all = counted.length > 0 ? counted.join(', ') : 'nothing';
    throw fault('of', `for areas, this release counts ${all}, not ${uncounted}`, 'unknown_weight');
  }
  const minutes = asked.minutes ?? ACCESS_MINUTES;
  if (!minutes.every((one) => ACCESS_MINUTES.includes(one))) {
    const msg = `for areas, must be some of ${ACCESS_MINUTES.join(', ')}`;
    throw fault('minutes', msg, 'out_of_range');
  }
  if (asked.weight !== undefined && by === null) {
    throw fault('weight', 'applies only with by', 'conflict');
  }
  const [weight] = requestedWeights(release, asked.weight ? [asked.weight] : undefined, part);
  const sent = { ...where, mode: asked.mode, direction, of, minutes, by: by ?? undefined, weight };
  const resolved = { mode: modeLabels(release, modes) };
  return {
    ...pagedRequest(cursors, route, { sent, resolved }, { limit, cursor }, [0, 0, 0, 0]),
    area,
    query: { modes, direction, of, minutes, by, weight },
  };
}

/** The objects of counties that the access of their blocks depends on. */
export function areaAccessObjects(
  release: Release,
  fips: readonly CountyFips[],
  { by, weight }: AreaAccessQuery,
): ObjectRef[] {
  return fips.flatMap((one) => {
    const county = release.county(one)!;
    const state = by === 'place' ? release.state(one.slice(0, 2)) : undefined;
    return [
      county.objects.index,
      release.accessObject(county),
      ...(by === null ? [] : [release.weightObject(county, weight)]),
      ...(state ? [state.objects.places] : []),
    ];
  });
}

/** The counts of a row's area: by `of`, mode and minutes, and by mode whether they are known. */
interface Counted {
  /** The GEOID of the area, as a number. */
  readonly id: number;
  count(of: number, mode: number, minutes: number): number;
  isKnown(mode: number): boolean;
}

/**
 * Renders a page of the access of an area: a row per block, or per tract, place or county, and per
 * weight, mode and time limit, in this order. Blocks that a mode could not be routed from have no
 * row, and count in no average.
 */
export async function queryAreaAccess(
  release: Release,
  { area, query, page }: ResolvedAreaAccess,
  { cursors, format }: QueryContext,
): Promise<QueryResult> {
  const { modes, of, minutes, by } = query;
  const results = format.rows(COUNTS.columns);
  const add = results.of(COUNTS);
  const labels = modes.map((position) => release.manifest.modes[position]);
  const ids = labels.map(modeIdOf);
  const parts = await blocksOfArea(release, area);
  const counted =
    by === null
      ? blockCounts(release, parts, query, page.position[0])
      : averages(release, parts, query);
  const geoidOf = (id: number) => String(id).padStart(DIGITS[by ?? 'block'], '0');
  let end = page.position;
  for await (const { id, count, isKnown } of counted) {
    if (id < page.position[0]) continue;
    const geoid = geoidOf(id);
    for (const [o, weight] of of.entries()) {
      for (const [m, mode] of labels.entries()) {
        if (!isKnown(m)) continue;
        for (const [l, limit] of minutes.entries()) {
          const position = [id, o, ids[m], limit];
          if (!isAfter(position, page.position)) continue;
          if (results.count === page.limit) {
            return response(nextCursor(cursors, page, end));
          }
          add({ geoid, of: weight, mode, minutes: limit, count: count(o, m, l) });
          end = position;
        }
      }
    }
    const pause = release.turns.yieldIfOverdue();
    if (pause) await pause;
  }
  return response(null);

  function response(next_cursor: string | null): QueryResult {
    return rowsResponse({ results, next_cursor }, results.count);
  }
}

/** The columns of counts of a county, by `of`, mode and minutes. One range read per weight. */
async function columnsOf(
  release: Release,
  county: CountyManifest,
  { of, modes, direction, minutes }: AreaAccessQuery,
): Promise<readonly Uint32Array[][][]> {
  const all = await Promise.all(
    of.map((weight) => release.accessCounts(county, weight, direction)),
  );
  const levels = minutes.map((limit) => ACCESS_MINUTES.indexOf(limit));
  return all.map((columns) =>
    modes.map((mode) => levels.map((level) => columns[mode * ACCESS_MINUTES.length + level])),
  );
}

/** The counts of blocks from a GEOID on. */
async function* blockCounts(
  release: Release,
  parts: readonly CountyBlocks[],
  query: AreaAccessQuery,
  from: GeoidNumber,
): AsyncGenerator<Counted> {
  const streets = streetsOf(release, query);
  for (const { county, index, ordinals } of parts) {
    const rest = ordinals.subarray(rankIn(ordinals, rankIn(index.geoids, from)));
    if (rest.length === 0) continue;
    const columns = await columnsOf(release, county, query);
    for (const block of rest) {
      yield {
        id: index.geoids[block],
        count: (o, m, l) => columns[o][m][l][block],
        isKnown: (m) => index.isLinked(block, streets[m]),
      };
    }
  }
}

/** The streets by which a block is routed, by mode. */
function streetsOf(release: Release, { modes }: AreaAccessQuery) {
  return modes.map((position) => linkModeOf(release.manifest.modes[position]));
}

/** Averages of the counts of blocks over the areas that they are in, weighted; by GEOID. */
async function* averages(
  release: Release,
  parts: readonly CountyBlocks[],
  query: AreaAccessQuery,
): AsyncGenerator<Counted> {
  const { of, modes, minutes, weight } = query;
  const perArea = of.length * modes.length * minutes.length;
  const cell = (o: number, m: number, l: number) => (o * modes.length + m) * minutes.length + l;
  const streets = streetsOf(release, query);
  const areas = new Map<number, { sums: Float64Array; weights: Float64Array }>();
  for (const { county, index, ordinals } of parts) {
    const columns = await columnsOf(release, county, query);
    const weights = await release.weightCounts(county, weight);
    const areaOf = await areasOfBlocks(release, county, index, query.by!);
    for (const block of ordinals) {
      const id = areaOf(block);
      if (id === 0 || weights[block] === 0) continue;
      let area = areas.get(id);
      if (!area) {
        area = { sums: new Float64Array(perArea), weights: new Float64Array(modes.length) };
        areas.set(id, area);
      }
      for (let m = 0; m < modes.length; m++) {
        if (!index.isLinked(block, streets[m])) continue;
        area.weights[m] += weights[block];
        for (let o = 0; o < of.length; o++) {
          for (let l = 0; l < minutes.length; l++) {
            area.sums[cell(o, m, l)] += columns[o][m][l][block] * weights[block];
          }
        }
      }
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
    }
  }
  for (const [id, { sums, weights }] of [...areas].sort(([a], [b]) => a - b)) {
    yield {
      id,
      count: (o, m, l) => Math.round((10 * sums[cell(o, m, l)]) / weights[m]) / 10,
      isKnown: (m) => weights[m] > 0,
    };
  }
}

/** Returns the area of each block of a county as a number; 0 for a block in none. */
async function areasOfBlocks(
  release: Release,
  county: CountyManifest,
  index: BlockIndex,
  by: AveragedBy,
): Promise<(block: number) => number> {
  if (by !== 'place') {
    const scale = 10 ** (DIGITS.block - DIGITS[by]);
    return (block) => Math.floor(index.geoids[block] / scale);
  }
  if (index.count === 0) return () => 0;
  const fips = countyOf(geoidFromNumber(index.geoids[0]));
  const state = release.state(fips.slice(0, 2));
  if (!state) return () => 0;
  // The same blocks may be in other places in another release.
  const places = await release.cachedFrom(
    state.objects.places,
    `blocks of ${county.objects.index.sha256}`,
    async () => sized(await placesOfBlocks(release, state, fips, index)),
  );
  return (block) => places[block];
}

/** The place of each block of a county, 0 for a block in none. */
async function placesOfBlocks(
  release: Release,
  state: StateManifest,
  fips: CountyFips,
  index: BlockIndex,
): Promise<Float64Array> {
  const placeOf = new Float64Array(index.count);
  const table = await release.places(state);
  for (const [ordinal, { geoid, counties }] of table.places.entries()) {
    if (!counties.includes(fips)) continue;
    const blocks = await release.placeBlocks(table, ordinal);
    for (const block of ordinalsOf(index.geoids, blocks)) placeOf[block] = Number(geoid);
  }
  return placeOf;
}
