import { z } from 'zod';
import { ACCESS_MINUTES, countedType } from '../../../shards/access/access-columns.ts';
import { CHANGE_STEPS, type Measure } from '../../../shards/changes/block-change.ts';
import { ChangeTotals } from '../../../shards/changes/change-sums.ts';
import type { ComparedCounty, ReleasePair } from '../../../shards/changes/compared-county.ts';
import {
  countedByBoth,
  countMeasures,
  leavesOfBoth,
  modesOfBoth,
  timeMeasures,
} from '../../../shards/changes/measures.ts';
import { type Mode, modeIdOf } from '../../../shards/modes.ts';
import type { Minutes } from '../../../shards/units.ts';
import { type Noise, noiseOf } from '../../../shards/weights/noise.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { allColumns, Columns, NO_COLUMNS, type RowMembers } from '../../formats/columns.ts';
import { invalidMember, invalidParameters } from '../../http/problem.ts';
import { PLANS } from '../../plans.ts';
import type { QueryContext } from '../../services.ts';
import { marginsOf } from '../areas/area.ts';
import {
  AREA_KINDS,
  type AreaKind,
  areaGeoid,
  areasOfBlocks,
  checkAreaKind,
} from '../areas/areas-of-blocks.ts';
import { sum } from '../areas/coverage.ts';
import { SMALL_GROUP } from '../areas/group-measures.ts';
import { requestedWeights } from '../block-weights.ts';
import { modeFault, requestedLeaves, statedTiming, type TypeName } from '../modes-and-types.ts';
import { checkPoiMinutes, requestedOpportunities } from '../opportunities/opportunities.ts';
import { modeSchema, rowSchema } from '../rows/row-columns.ts';

interface ChangesParams {
  readonly type?: readonly TypeName[] | undefined;
  readonly of?: readonly string[] | undefined;
  readonly minutes?: readonly Minutes[] | undefined;
  readonly mode?: readonly Mode[] | undefined;
  readonly weight?: readonly string[] | undefined;
  readonly by?: readonly string[] | undefined;
  readonly small: boolean;
}

interface ChangesQuery {
  readonly measures: readonly Measure[];
  /** In the order of rows; those from `groups` on are groups. */
  readonly weights: readonly string[];
  readonly groups: number;
  /** The areas that rows are by; null for one row for all. */
  readonly by: AreaKind | null;
  /** Whether means of small groups are stated, too. */
  readonly hasSmall: boolean;
}

/** Resolves the sums that a request selects; throws for what one of the releases lacks. */
export function requestedChanges(pair: ReleasePair, asked: ChangesParams): ChangesQuery {
  const { by = [], small } = asked;
  const kinds = AREA_KINDS.filter((kind) => by.includes(kind));
  if (kinds.length > 1) {
    throw invalidMember('by', `names ${kinds.join(' and ')}; choose one of them`, 'conflict');
  }
  checkAreaKind([pair.before, pair.after], kinds[0] ?? null, 'body');
  const groups = by.filter((name) => !kinds.includes(name as AreaKind));
  const weight = weightsOfBoth(pair, asked.weight, 'weight');
  const all = [...new Set([...weight, ...weightsOfBoth(pair, groups, 'by')])];
  return {
    measures: requestedMeasures(pair, asked),
    weights: all,
    groups: weight.length,
    by: kinds[0] ?? null,
    hasSmall: small,
  };
}

function weightsOfBoth(
  { before, after }: ReleasePair,
  asked: readonly string[] | undefined,
  member: 'weight' | 'by',
): readonly string[] {
  requestedWeights(before, asked, 'body', member);
  return requestedWeights(after, asked, 'body', member);
}

/** The measures of a request, in the order of rows: by type or count, then by mode and minutes. */
function requestedMeasures(
  pair: ReleasePair,
  { type, of, minutes, mode }: ChangesParams,
): readonly Measure[] {
  const { before, after } = pair;
  const unknown = (mode ?? []).flatMap((one) =>
    [before, after].flatMap((release) => modeFault(release, one, ['body', 'mode'])),
  );
  if (unknown.length > 0) throw invalidParameters(unknown.slice(0, 1));
  const modes = modesOfBoth(pair)
    .filter((one) => mode === undefined || mode.includes(one))
    .sort((a, b) => modeIdOf(a) - modeIdOf(b));
  if (of === undefined) {
    if (minutes !== undefined) throw invalidMember('minutes', 'applies only with of', 'conflict');
    requestedLeaves(before, type, ['body', 'type']);
    const leaves = requestedLeaves(after, type, ['body', 'type']);
    const both = leavesOfBoth(pair);
    return timeMeasures(leaves?.filter((leaf) => both.includes(leaf)) ?? both, modes);
  }
  if (type !== undefined)
    throw invalidMember('of', 'does not go with type: send one of them', 'conflict');
  requestedOpportunities(before, of, 'from', 'body');
  const asked = requestedOpportunities(after, of, 'from', 'body');
  const uncounted = asked.find((one) => !countedByBoth(pair).includes(one.of))?.of;
  if (uncounted !== undefined)
    throw invalidMember('of', uncountedIn(pair, uncounted), 'unknown_weight');
  if (minutes?.some((one) => !ACCESS_MINUTES.includes(one))) {
    throw invalidMember('minutes', `must be some of ${ACCESS_MINUTES.join(', ')}`, 'out_of_range');
  }
  if (minutes) checkPoiMinutes(asked, minutes, ['body', 'minutes']);
  return countMeasures(
    asked.map((one) => one.of),
    modes,
    minutes,
  );
}

/** Says which release does not count something, and what both count. */
function uncountedIn(pair: ReleasePair, of: string): string {
  const { before, after } = pair;
  const lacking = [before, after].filter(({ manifest }) => !manifest.access.includes(of));
  const nameOf = (one: string) => {
    const type = countedType(one);
    return type === null ? one : `type:${after.taxonomy.labelOf(type)}`;
  };
  const counted = countedByBoth(pair);
  const both = counted.length > 0 ? counted.map(nameOf).join(', ') : 'nothing in common';
  const releases = lacking.map(({ version }) => version).join(' nor ');
  return `${nameOf(of)} is not counted within reach in ${releases}; both releases count ${both}`;
}

/** The areas that rows are by, and the number of the area of each block; -1 for none. */
export interface RowAreas {
  /** GEOIDs; a null for all blocks together. */
  readonly geoids: readonly (string | null)[];
  /** By county of the area, then block; null if all blocks are in the first area. */
  readonly of: readonly (Int32Array | null)[];
}

/** Finds the areas of blocks: by the later release, where that has the block. */
export async function rowAreas(
  counties: readonly ComparedCounty[],
  by: AreaKind | null,
): Promise<RowAreas> {
  if (by === null) return { geoids: [null], of: counties.map(() => null) };
  const ids: Float64Array[] = [];
  for (const county of counties) {
    const own = new Float64Array(county.count);
    for (const side of [county.before, county.after]) {
      if (side === null) continue;
      const areaOf = await areasOfBlocks(side.release, side.county, side.index, by);
      for (let i = 0; i < own.length; i++) {
        if (side.ordinals[i] !== -1) own[i] = areaOf(side.ordinals[i]);
      }
    }
    ids.push(own);
  }
  const all = [...new Set(ids.flatMap((own) => [...new Set(own)]))].filter((id) => id !== 0);
  all.sort((a, b) => a - b);
  const numberOf = new Map(all.map((id, number) => [id, number]));
  return {
    geoids: all.map((id) => areaGeoid(id, by)),
    of: ids.map((own) => Int32Array.from(own, (id) => numberOf.get(id) ?? -1)),
  };
}

const BY_STEP = Object.fromEntries(CHANGE_STEPS.map((step) => [String(step), 'double' as const]));
const byStep = z.record(z.string(), sum);
const mean = z.number().min(0).nullable();

const AREA = new Columns<RowMembers>({
  geoid: {
    type: 'string',
    schema: z
      .string()
      .regex(/^\d{5,11}$/)
      .optional()
      .meta({ description: 'A tract, a place or a county.' }),
  },
});
const MODE = new Columns<RowMembers>({ mode: { type: 'string', schema: modeSchema } });
const TYPE = new Columns<RowMembers>({ type: { type: 'int32', schema: z.int().optional() } });
const OF = new Columns<RowMembers>({
  of: {
    type: 'string',
    schema: z.string().optional().meta({ description: 'A weight, or `type:ID`.' }),
  },
  minutes: { type: 'int32', schema: z.int().optional() },
});
const SUMS = new Columns<RowMembers>({
  weight: { type: 'string', schema: z.string() },
  total: { type: 'double', schema: sum },
  gained: { type: BY_STEP, schema: byStep },
  lost: { type: BY_STEP, schema: byStep },
  unchanged: { type: 'double', schema: sum },
});
const WITHIN = new Columns<RowMembers>({
  newly_within: {
    type: 'double',
    schema: sum.optional().meta({ description: 'Beyond 30 minutes before only.' }),
  },
  no_longer_within: { type: 'double', schema: sum.optional() },
});
const MEANS = new Columns<RowMembers>({
  mean_before: {
    type: 'double',
    schema: mean.meta({ description: 'Over the blocks known in both releases, to two decimals.' }),
  },
  mean_after: { type: 'double', schema: mean },
  no_data: { type: 'double', schema: sum },
});

export const changeRow = rowSchema(AREA, MODE, TYPE, OF, SUMS, WITHIN, MEANS).meta({
  id: 'ChangeRow',
  description: 'Sums of a weight by how a time or count changed.',
});

export interface LocatedChanges {
  readonly pair: ReleasePair;
  readonly query: ChangesQuery;
  readonly counties: readonly ComparedCounty[];
  readonly areas: RowAreas;
}

export function rowsOf({ query: { measures, weights }, areas }: LocatedChanges): number {
  return areas.geoids.length * measures.length * weights.length;
}
export function priceOf(located: LocatedChanges): number {
  return PLANS.charges.changes + rowsOf(located) * PLANS.charges.row;
}

export async function queryChanges(
  located: LocatedChanges,
  { format }: QueryContext,
): Promise<QueryResult> {
  const { pair, query, counties, areas } = located;
  const { measures, weights, groups, by, hasSmall } = query;
  const totals = await totalsOf(located);
  const isOfTimes = measures[0]?.kind === 'minutes';
  const parts = [
    by === null ? NO_COLUMNS : AREA,
    MODE,
    isOfTimes ? TYPE : OF,
    SUMS,
    isOfTimes ? WITHIN : NO_COLUMNS,
    MEANS,
  ] as const;
  const results = format.rows(allColumns(parts));
  const add = results.of(...parts);
  for (const [a, geoid] of areas.geoids.entries()) {
    for (const [m, measure] of measures.entries()) {
      for (const [w, weight] of weights.entries()) {
        const sums = totals.of(a, m, w);
        const isStated = w < groups || hasSmall || sums.total - sums.no_data >= SMALL_GROUP;
        const row = {
          geoid,
          ...measure,
          weight,
          ...sums,
          ...(!isStated && { mean_before: null, mean_after: null }),
        };
        add(row, row, row, row, row, row);
      }
      await pair.after.turns.yieldIfOverdue();
    }
  }
  let [blocks, land_area_m2] = [0, 0];
  for (const county of counties) {
    blocks += county.count;
    land_area_m2 += county.landArea;
  }
  const latest = counties.map(({ before, after }) => {
    const { index, ordinals } = (after ?? before)!;
    return { index, ordinals: Uint32Array.from(ordinals.filter((block) => block !== -1)) };
  });
  const body = {
    from: pair.before.version,
    to: pair.after.version,
    ...timingOfBoth(located),
    area: { blocks, land_area_m2, margin: await marginsOf(pair.after, latest, weights) },
    results,
    noise: noiseOfWeights(located),
  };
  return { ...rowsResponse(body, results.count), tokens: priceOf(located) };
}

/** The window and percentile of a comparison, stated if one of the releases has others. */
function timingOfBoth({ pair: { before, after }, query: { measures } }: LocatedChanges) {
  const modes = measures.map(({ mode }) => mode);
  return { ...statedTiming(before, modes), ...statedTiming(after, modes) };
}

async function totalsOf({ pair, query, counties, areas }: LocatedChanges): Promise<ChangeTotals> {
  const { measures, weights } = query;
  const totals = new ChangeTotals(areas.geoids.length, measures, weights.length);
  for (const [c, county] of counties.entries()) {
    const counts = await Promise.all(weights.map((weight) => county.weights(weight)));
    for await (const values of county.values(measures)) {
      for (const [w, own] of counts.entries()) {
        totals.add(values, w, own, areas.of[c]);
        await pair.after.turns.yieldIfOverdue();
      }
    }
  }
  return totals;
}

/** The noise of the weights in a response, summed or counted, by name. */
function noiseOfWeights({ pair, query }: LocatedChanges): Record<string, Noise | null> {
  const counted = query.measures.flatMap((one) => (one.kind === 'count' ? [one.of] : []));
  const names = new Set([...query.weights, ...counted]);
  return Object.fromEntries(
    pair.after.weights
      .filter(({ weight }) => names.has(weight))
      .map((weight) => [weight.weight, noiseOf(weight)]),
  );
}
