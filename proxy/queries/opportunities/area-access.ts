import { z } from 'zod';
import { ACCESS_MINUTES, minutesCounted } from '../../../shards/access/access-columns.ts';
import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import { rankIn } from '../../../shards/arrays/sorted.ts';
import type { GeoidNumber } from '../../../shards/geoid.ts';
import { linkModeOf, type Mode, modeIdOf } from '../../../shards/modes.ts';
import type { CountyManifest, Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { stateFipsOf } from '../../../shards/states.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { CountyBlock, CountyFips, Minutes, ReleaseMode } from '../../../shards/units.ts';
import { marginOf } from '../../../shards/weights/margin.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { allColumns, Columns, NO_COLUMNS } from '../../formats/columns.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import { invalidParameter } from '../../http/problem.ts';
import type { QueryContext } from '../../services.ts';
import { type Area, noisyAmong, sizeOf, someBlocksOfArea } from '../areas/area.ts';
import {
  type AreaKind,
  AVERAGED,
  areaGeoid,
  areasOfBlocks,
  BLOCK_OR_AREA,
  checkAreaKind,
} from '../areas/areas-of-blocks.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { leastAveraged } from '../areas/group-measures.ts';
import { requestedWeights } from '../block-weights.ts';
import { modeLabels, modePositions } from '../modes-and-types.ts';
import { checkDirection } from '../origins/near-points.ts';
import {
  isAfter,
  nextCursor,
  type Page,
  type PagedRequest,
  pagedRequest,
} from '../rows/pagination.ts';
import { modeSchema, rowSchema } from '../rows/row-columns.ts';
import { checkPoiMinutes, requestedOpportunities } from './opportunities.ts';

interface AreaAccessParams {
  readonly mode?: readonly Mode[] | undefined;
  readonly direction: Direction;
  readonly of?: readonly string[] | undefined;
  readonly minutes?: readonly Minutes[] | undefined;
  readonly by?: AreaKind | undefined;
  readonly weight?: string | undefined;
  readonly small: boolean;
  readonly include_missing: boolean;
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
  readonly by: AreaKind | null;
  /** The weight by which blocks count in an average. */
  readonly weight: string;
  /** The least sum of the weight, over blocks with a count, of which an average is stated. */
  readonly least: number;
  /** Whether blocks and areas without a count also have rows, with the reason. */
  readonly withMissing: boolean;
}

export interface ResolvedAreaAccess extends PagedRequest {
  readonly area: Area;
  readonly query: AreaAccessQuery;
}

/**
 * Why there is no count: no block could be routed from, none has any of the weight, or those that
 * could have too little of a group.
 */
const MISSING_REASONS = ['no-data', 'no-weight', 'small-group'] as const;

interface AreaCount {
  readonly geoid: string;
  readonly of: string;
  readonly mode: Mode;
  readonly minutes: Minutes;
  readonly count: number | null;
  readonly reason?: (typeof MISSING_REASONS)[number] | undefined;
  readonly total: number;
  readonly no_data: number;
}
const COUNTS = new Columns<AreaCount>({
  ...BLOCK_OR_AREA.members,
  of: { type: 'string', schema: z.string().meta({ description: 'A weight, or `type:ID`.' }) },
  mode: { type: 'string', schema: modeSchema },
  minutes: { type: 'int32', schema: z.int() },
  count: {
    type: 'double',
    schema: z
      .number()
      .min(0)
      .nullable()
      .meta({
        description:
          'How many are within reach; with `by`, the average, to one decimal. Null only in rows ' +
          'added by `include_missing`.',
      }),
  },
});
const REASON = new Columns<AreaCount>({
  reason: {
    type: 'string',
    schema: z
      .enum(MISSING_REASONS)
      .optional()
      .meta({
        description:
          'Only where `count` is null: the mode could not be routed from any block, no block has ' +
          'any of `weight`, or it is a small group (`small`).',
      }),
  },
});

function partsOf({ by, withMissing }: AreaAccessQuery) {
  return [COUNTS, withMissing ? REASON : NO_COLUMNS, by === null ? NO_COLUMNS : AVERAGED] as const;
}

export const areaCount = rowSchema(COUNTS, REASON, AVERAGED).meta({
  id: 'AreaOpportunityCount',
  description: 'A count of opportunities within reach of a block, or its average over an area.',
});

/**
 * Resolves a request for the access of an area. Throws `direction-not-available`, and
 * `invalid-parameters` for a weight, type or time limit that the release does not count.
 */
export function requestedAreaAccess(
  release: Release,
  cursors: CursorSealer,
  { route, where, area }: { route: string; where: object; area: Area },
  { limit, cursor, include_missing: withMissing, small, ...asked }: AreaAccessParams,
  part: 'query' | 'body' = 'query',
): ResolvedAreaAccess {
  const { direction, by = null } = asked;
  checkDirection(release, direction);
  checkAreaKind([release], by, part);
  const modes = modePositions(release, asked.mode, part);
  const opportunities = requestedOpportunities(
    release,
    asked.of ?? [PEOPLE.weight],
    direction,
    part,
  );
  if (asked.minutes) checkPoiMinutes(opportunities, asked.minutes, [part, 'minutes']);
  const of = opportunities.map((one) => one.of);
  const counted = release.manifest.access;
  const fault = (name: string, msg: string, type: string) =>
    invalidParameter([part, name], msg, type);
  const uncounted = of.find((one) => !counted.includes(one));
  if (uncounted !== undefined) {
    const msg =
      counted.length > 0
        ? `for areas, this release counts ${counted.join(', ')}, not ${uncounted}`
        : 'this release has no access by area; its operator adds it with tta build --access';
    throw fault('of', msg, 'unknown_weight');
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
  const sent = {
    ...where,
    mode: asked.mode,
    direction,
    of,
    minutes,
    by: by ?? undefined,
    weight,
    small: small || undefined,
    include_missing: withMissing,
  };
  const resolved = { mode: modeLabels(release, modes), noisy: noisyAmong(release, of) };
  const least = leastAveraged(weight, small);
  return {
    ...pagedRequest(cursors, route, { sent, resolved }, { limit, cursor }, [0, 0, 0, 0]),
    area,
    query: { modes, direction, of, minutes, by, weight, least, withMissing },
  };
}

export function areaAccessObjects(
  release: Release,
  fips: readonly CountyFips[],
  { by, of, weight }: AreaAccessQuery,
): ObjectRef[] {
  return fips.flatMap((one) => {
    const county = release.county(one)!;
    const state = by === 'place' ? release.state(stateFipsOf(one)) : undefined;
    return [
      county.objects.index,
      release.accessObject(county),
      ...[...noisyAmong(release, of), ...(by === null ? [] : [weight])].map((name) =>
        release.weightObject(county, name),
      ),
      ...(state ? [state.objects.places] : []),
    ];
  });
}

interface AveragedArea {
  /** The GEOID as a number. */
  readonly id: number;
  readonly total: number;
  /** By mode, the weight of the blocks that the mode could be routed from. */
  readonly known: Float64Array;
}

/** A block or an area of averages, which has rows. */
type Subject = {
  /** The GEOID as a number. */
  readonly id: number;
  /** Why there is no count by a mode; undefined if there is one. */
  reasonOf(mode: number): AreaCount['reason'];
} & (
  | { readonly part: CountyBlocks; readonly block: CountyBlock }
  | { readonly area: AveragedArea }
);

/** A row, by the positions of what its request lists. */
interface Cell {
  readonly of: number;
  readonly mode: number;
  readonly level: number;
  /** The position of a page that ends with it. */
  readonly position: Page['position'];
}

/** A page of the access of an area, its subjects, and its price. */
export interface LocatedAreaAccess extends ResolvedAreaAccess {
  readonly parts: readonly CountyBlocks[];
  readonly subjects: readonly { readonly subject: Subject; readonly cells: readonly Cell[] }[];
  readonly hasMore: boolean;
  readonly tokens: number;
}

/**
 * Finds the blocks of an area and, with `by`, the weights of what they are averaged over; selects
 * the rows of the page from these, so that their number is known before any count is read.
 */
export async function locateAreaAccess(
  release: Release,
  resolved: ResolvedAreaAccess,
): Promise<LocatedAreaAccess> {
  const { query, page } = resolved;
  const parts = await someBlocksOfArea(release, resolved.area);
  const all =
    query.by === null
      ? blocksFrom(release, parts, query, page.position[0])
      : (await averagedAreas(release, parts, query)).map((area) => subjectOfArea(area, query));
  const subjects: { subject: Subject; cells: Cell[] }[] = [];
  let rows = 0;
  for (const subject of all) {
    const cells = cellsOf(release, subject, query, page);
    const room = page.limit - rows;
    if (cells.length > 0 && room > 0) subjects.push({ subject, cells: cells.slice(0, room) });
    rows += cells.length;
    if (rows > page.limit) break;
    await release.turns.yieldIfOverdue();
  }
  const hasMore = rows > page.limit;
  const { tokens } = rowsResponse({}, Math.min(rows, page.limit));
  return { ...resolved, parts, subjects, hasMore, tokens };
}

/** The rows of a subject from the beginning of a page on, ordered by `of`, mode and minutes. */
function cellsOf(
  release: Release,
  { id, reasonOf }: Subject,
  { of, modes, minutes, withMissing }: AreaAccessQuery,
  page: Page,
): Cell[] {
  const cells: Cell[] = [];
  if (id < page.position[0]) return cells;
  for (let o = 0; o < of.length; o++) {
    for (const [m, mode] of modes.entries()) {
      if (!withMissing && reasonOf(m) !== undefined) continue;
      for (const [l, limit] of minutes.entries()) {
        if (!minutesCounted(of[o]).includes(limit)) continue;
        const position = [id, o, modeIdOf(release.services[mode].mode), limit];
        if (isAfter(position, page.position)) cells.push({ of: o, mode: m, level: l, position });
      }
    }
  }
  return cells;
}

/**
 * Renders a page of the access of an area: a row per block, or per tract, place or county, and per
 * weight, mode and time limit, in this order. Only the counts of the page's subjects are read.
 */
export async function queryAreaAccess(
  release: Release,
  located: LocatedAreaAccess,
  { cursors, format }: QueryContext,
): Promise<QueryResult> {
  const { query, page, subjects, hasMore, tokens } = located;
  const { modes, of, minutes, by } = query;
  const parts = partsOf(query);
  const results = format.rows(allColumns(parts));
  const add = results.of(...parts);
  const labels = modes.map((position) => release.services[position].mode);
  const countsOf = await counter(release, located);
  let end = page.position;
  /** By what is counted. */
  const largest = new Map<string, number>();
  for (const { subject, cells } of subjects) {
    const geoid = areaGeoid(subject.id, by ?? 'block');
    const counts = await countsOf(subject);
    const { total, known } = 'area' in subject ? subject.area : NO_AREA;
    for (const { of: o, mode: m, level: l, position } of cells) {
      const reason = subject.reasonOf(m);
      const count = reason === undefined ? counts(o, m, l) : null;
      const [mode, limit] = [labels[m], minutes[l]];
      const no_data = total - known[m];
      const row = { geoid, of: of[o], mode, minutes: limit, count, reason, total, no_data };
      add(row, row, row);
      if (count !== null) largest.set(of[o], Math.max(largest.get(of[o]) ?? 0, count));
      end = position;
    }
    await release.turns.yieldIfOverdue();
  }
  const margin = await marginsOfReach(release, located.parts, largest);
  const area = { ...sizeOf(located.parts), margin };
  return {
    body: { area, results, next_cursor: nextCursor(cursors, page, hasMore ? end : null) },
    tokens,
  };
}

/**
 * The margins of the largest counts within reach, by weight: of as many blocks as the count has at
 * the average of the counties of the area. Those of the area itself may be much denser than what
 * is within reach of them. Null also if the counties have nothing of a weight.
 */
async function marginsOfReach(
  release: Release,
  parts: readonly CountyBlocks[],
  largest: ReadonlyMap<string, number>,
): Promise<Record<string, number | null>> {
  const summed = async (name: string) => {
    let [total, blocks] = [0, 0];
    for (const { county } of parts) {
      for (const count of await release.weightCounts(county, name)) {
        total += count;
        if (count > 0) blocks++;
      }
      await release.turns.yieldIfOverdue();
    }
    return { total, blocks };
  };
  const margins: [string, number | null][] = [];
  const noisy = noisyAmong(release, [...largest.keys()]);
  const { blocks } = noisy.length > 0 ? await summed(PEOPLE.weight) : { blocks: 0 };
  for (const [name, count] of largest) {
    const weight = release.weight(name);
    if (!weight) continue;
    if (!noisy.includes(name)) {
      margins.push([name, null]);
      continue;
    }
    const { total } = await summed(name);
    const reached = total === 0 ? 0 : (count * blocks) / total;
    const independent = {
      blocks: reached,
      ofBlockGroups: Number.POSITIVE_INFINITY,
      blockGroups: 0,
    };
    const isUnknown = total === 0 && count > 0;
    margins.push([name, isUnknown ? null : marginOf(weight, independent)]);
  }
  return Object.fromEntries(margins);
}

/** Stands in rows per block for the weights of an area, which they do not state. */
const NO_AREA: Omit<AveragedArea, 'id'> = { total: 0, known: new Float64Array() };

type CountOf = (of: number, mode: number, level: number) => number;

/** Returns a function that reads or averages the counts of a subject; subjects come in order. */
async function counter(
  release: Release,
  { parts, subjects, query }: LocatedAreaAccess,
): Promise<(subject: Subject) => CountOf | Promise<CountOf>> {
  const { modes, minutes } = query;
  let last: CountyBlocks | undefined;
  let columns: readonly Uint32Array[][][] = [];
  const areas = subjects.flatMap(({ subject }) => ('area' in subject ? [subject.area] : []));
  const sums = areas.length > 0 ? await sumsOf(release, parts, query, areas) : new Map();
  return async (subject) => {
    if ('area' in subject) {
      const { id, known } = subject.area;
      const own = sums.get(id)!;
      return (o, m, l) => {
        const sum = own[(o * modes.length + m) * minutes.length + l];
        return Math.round((10 * sum) / known[m]) / 10;
      };
    }
    const { part, block } = subject;
    if (part !== last) columns = await columnsOf(release, part.county, query);
    last = part;
    return (o, m, l) => columns[o][m][l][block];
  };
}

/**
 * The columns of counts of a county, by `of`, mode and minutes, which for types are the first of
 * the query's. One range read per weight or type.
 */
async function columnsOf(
  release: Release,
  county: CountyManifest,
  { of, modes, direction, minutes }: AreaAccessQuery,
): Promise<readonly Uint32Array[][][]> {
  const all = await Promise.all(
    of.map((weight) => release.accessCounts(county, weight, direction)),
  );
  return all.map((columns, o) => {
    const known = minutesCounted(of[o]);
    const levels = minutes.flatMap((limit) => (known.includes(limit) ? known.indexOf(limit) : []));
    return modes.map((mode) => levels.map((level) => columns[mode * known.length + level]));
  });
}

function* blocksFrom(
  release: Release,
  parts: readonly CountyBlocks[],
  query: AreaAccessQuery,
  from: GeoidNumber,
): Generator<Subject> {
  const streets = streetsOf(release, query);
  for (const part of parts) {
    const { index, ordinals } = part;
    for (const block of ordinals.subarray(rankIn(ordinals, rankIn(index.geoids, from)))) {
      const reasonOf = (mode: number) =>
        index.isLinked(block, streets[mode]) ? undefined : 'no-data';
      yield { id: index.geoids[block], reasonOf, part, block };
    }
  }
}

function subjectOfArea(area: AveragedArea, { least }: AreaAccessQuery): Subject {
  const { id, total, known } = area;
  const reasonOf = (mode: number) => {
    if (known[mode] === 0) return total > 0 ? 'no-data' : 'no-weight';
    return known[mode] < least ? 'small-group' : undefined;
  };
  return { id, reasonOf, area };
}

function streetsOf(release: Release, { modes }: AreaAccessQuery) {
  return modes.map((position) => linkModeOf(release.services[position].mode));
}

/** The tracts, places or counties that blocks are in, by GEOID, and their weights. */
async function averagedAreas(
  release: Release,
  parts: readonly CountyBlocks[],
  query: AreaAccessQuery,
): Promise<AveragedArea[]> {
  const streets = streetsOf(release, query);
  const areas = new Map<number, { id: number; total: number; known: Float64Array }>();
  for (const { county, index, ordinals } of parts) {
    const weights = await release.weightCounts(county, query.weight);
    const areaOf = await areasOfBlocks(release, county, index, query.by!);
    for (const block of ordinals) {
      const id = areaOf(block);
      if (id === 0) continue;
      const area = getOrInsertComputed(areas, id, () => {
        return { id, total: 0, known: new Float64Array(streets.length) };
      });
      area.total += weights[block];
      for (const [m, street] of streets.entries()) {
        if (index.isLinked(block, street)) area.known[m] += weights[block];
      }
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
    }
  }
  return [...areas.values()].sort((a, b) => a.id - b.id);
}

/**
 * Returns the sums of the counts of blocks, times their weight, over some areas: by `of`, mode and
 * minutes. Counties without a block in any of them are not read.
 */
async function sumsOf(
  release: Release,
  parts: readonly CountyBlocks[],
  query: AreaAccessQuery,
  areas: readonly AveragedArea[],
): Promise<ReadonlyMap<number, Float64Array>> {
  const { of, modes, minutes, weight } = query;
  const streets = streetsOf(release, query);
  const sums = new Map(
    areas.map(({ id }) => [id, new Float64Array(of.length * modes.length * minutes.length)]),
  );
  for (const { county, index, ordinals } of parts) {
    const areaOf = await areasOfBlocks(release, county, index, query.by!);
    const inside = ordinals.filter((block) => sums.has(areaOf(block)));
    if (inside.length === 0) continue;
    const columns = await columnsOf(release, county, query);
    const weights = await release.weightCounts(county, weight);
    for (const block of inside) {
      const own = sums.get(areaOf(block))!;
      for (let o = 0; o < of.length; o++) {
        for (let m = 0; m < modes.length; m++) {
          const factor = index.isLinked(block, streets[m]) ? weights[block] : 0;
          const first = (o * modes.length + m) * minutes.length;
          const counts = columns[o][m];
          for (let l = 0; l < counts.length; l++) own[first + l] += counts[l][block] * factor;
        }
      }
      const pause = release.turns.yieldIfOverdue();
      if (pause) await pause;
    }
  }
  return sums;
}
