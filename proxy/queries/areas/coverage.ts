import { z } from 'zod';
import { type ModeRow, TENTHS } from '../../../shards/matrix/row-codec.ts';
import { linkModeOf } from '../../../shards/modes.ts';
import { nthNearestId } from '../../../shards/nearest/nth-nearest.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { Taxonomy } from '../../../shards/taxonomy.ts';
import type { DestTypeId, Minutes, ReleaseMode, Tenths } from '../../../shards/units.ts';
import { Columns, type RowMembers } from '../../formats/columns.ts';
import type { Rows } from '../../formats/rows.ts';
import { invalidParameter } from '../../http/problem.ts';
import { maskedBy, requestedWeights, sumOf } from '../block-weights.ts';
import {
  type CellParams,
  modeLabels,
  modePositions,
  requestedLeaves,
  spelledNames,
} from '../modes-and-types.ts';
import { modeSchema, rowSchema, TYPE_COLUMNS, typeColumns } from '../rows/row-columns.ts';
import { noisyAmong } from './area.ts';
import type { CountyBlocks } from './drawn-blocks.ts';
import { type GroupSums, giniOf, ratiosOf, SMALL_GROUP, sharesOf } from './group-measures.ts';

const COVERAGE_MINUTES: readonly Minutes[] = [5, 10, 15, 20, 25, 30];

const BY_MINUTES = Object.fromEntries(
  COVERAGE_MINUTES.map((minutes) => [String(minutes), 'double' as const]),
);

export const sum = z.number().min(0);
export const sumsByMinutes = z.record(z.string().regex(/^\d+$/), sum).meta({
  description: 'Sums by minutes, cumulative.',
});

/** The sums of a weight over an area, which add up to `total`. */
export const SUMS = new Columns<RowMembers>({
  total: { type: 'double', schema: sum },
  within: { type: BY_MINUTES, schema: sumsByMinutes },
  beyond: { type: 'double', schema: sum },
  no_data: {
    type: 'double',
    schema: sum.meta({ description: 'Where the mode could not be routed from the block.' }),
  },
});

const ROW = new Columns<RowMembers>({
  mode: { type: 'string', schema: modeSchema },
  weight: { type: 'string', schema: z.string() },
  nth: { type: 'int32', schema: z.int() },
  ...SUMS.members,
});

const measureByMinutes = (description: string) =>
  z
    .record(z.string().regex(/^\d+$/), z.number().min(0).nullable())
    .optional()
    .meta({
      description: `With \`by\`: ${description} To four decimals; null where undefined, and for small groups.`,
    });

const ROW_OF_GROUP = new Columns<RowMembers>({
  ...ROW.members,
  share: {
    type: BY_MINUTES,
    schema: measureByMinutes(
      'Parts of those whose time is known (`total` − `no_data`) within the minutes.',
    ),
  },
  ratio: {
    type: BY_MINUTES,
    schema: measureByMinutes('The shares, each divided by that of `weight`.'),
  },
  gini: {
    type: 'double',
    schema: z
      .number()
      .min(0)
      .nullable()
      .optional()
      .meta({
        description:
          'With `by`: Gini coefficient of the minutes, from 0 (equal) towards 1, over those whose ' +
          'time is known; those beyond count as at 30 minutes, so it is a lower bound.',
      }),
  },
});

export const coverageRow = rowSchema(TYPE_COLUMNS, ROW_OF_GROUP).meta({
  id: 'CoverageRow',
  description:
    'Sums of a weight over the blocks of an area, by minutes to the n-th nearest POI of a type.',
});

export function coverageParts({ areGroups, labels }: CoverageQuery) {
  return [typeColumns(labels), areGroups ? ROW_OF_GROUP : ROW] as const;
}

/** Slots in which weights are summed; `of` maps tenths of a minute to slots. */
interface Slots {
  readonly count: number;
  readonly of: Uint16Array;
}

/** One slot per step of the minutes of a response, which suffices for sums. */
const STEPS: Slots = slots((tenths) => COVERAGE_MINUTES.findIndex((most) => tenths <= most * 10));
/** One slot per tenth of a minute, as measures of groups require. */
const EACH_TIME: Slots = slots((tenths) => tenths);

function slots(slotOf: (tenths: Tenths) => number): Slots {
  const of = Uint16Array.from({ length: TENTHS.most + 1 }, (_, tenths) => slotOf(tenths));
  return { count: of[TENTHS.most] + 1, of };
}

export interface CoverageQuery {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  /** Leaf types, ascending. */
  readonly types: readonly DestTypeId[];
  readonly weights: readonly string[];
  /** Whether the weights are groups, to be compared with the first. */
  readonly areGroups: boolean;
  /** Whether measures of small groups are stated, too. */
  readonly hasSmall: boolean;
  readonly nth: number;
  /** Source of the labels of types; null if rows have none. */
  readonly labels: Taxonomy | null;
}

interface AskedCoverage extends CellParams {
  readonly weight?: readonly string[] | undefined;
  readonly by?: readonly string[] | undefined;
  readonly small: boolean;
  readonly nth: number;
}

export function requestedCoverage(
  release: Release,
  asked: AskedCoverage,
  part: 'query' | 'body' = 'query',
): { query: CoverageQuery; resolved: Readonly<Record<string, unknown>> } {
  const types = requestedLeaves(release, asked.type, [part, 'type']) ?? release.taxonomy.leafIds;
  const modes = modePositions(release, asked.mode, part);
  const weight = requestedWeights(release, asked.weight, part);
  const { nth, by, small, names } = asked;
  const { taxonomy } = release;
  if (by && weight.length > 1) {
    const msg = 'allows only one weight, the reference for the groups';
    throw invalidParameter([part, 'by'], msg, 'conflict');
  }
  const groups = by ? requestedWeights(release, by, part, 'by') : [];
  const weights = [...new Set([...weight, ...groups])];
  return {
    query: {
      modes,
      types,
      weights,
      areGroups: by !== undefined,
      hasSmall: small,
      nth,
      labels: names ? taxonomy : null,
    },
    resolved: {
      mode: modeLabels(release, modes),
      type: types,
      weight,
      noisy: noisyAmong(release, weights),
      by,
      small: small || undefined,
      nth,
      names: spelledNames(taxonomy, types, names),
    },
  };
}

export function coverageObjects(
  release: Release,
  county: CountyManifest,
  { weights }: CoverageQuery,
): ObjectRef[] {
  const { index, 'nth-nearest': nthNearest } = county.objects;
  return [index, nthNearest, ...weights.map((weight) => release.weightObject(county, weight))];
}

/**
 * Sums of weights over the blocks of an area, by type, mode and weight, and by the time to the n-th
 * nearest POI of the type. The counts are whole numbers, so sums do not depend on the order of
 * blocks.
 */
export class CoverageSums {
  readonly #release: Release;
  readonly #query: CoverageQuery;
  readonly #slots: Slots;
  /** Sums by row, then slot; not yet cumulative. */
  readonly #sums: Float64Array;
  /** Totals by weight; `#noData` is by mode, then weight. */
  readonly #totals: Float64Array;
  readonly #noData: Float64Array;

  constructor(release: Release, query: CoverageQuery) {
    const { modes, types, weights, areGroups } = query;
    this.#release = release;
    this.#query = query;
    this.#slots = areGroups ? EACH_TIME : STEPS;
    const rows = types.length * modes.length * weights.length;
    this.#sums = new Float64Array(rows * this.#slots.count);
    this.#totals = new Float64Array(weights.length);
    this.#noData = new Float64Array(modes.length * weights.length);
  }

  /** Adds the blocks of an area in one county, with one range read if the head is cached. */
  async add({ county, index, ordinals }: CountyBlocks): Promise<void> {
    const { modes, types, weights, nth } = this.#query;
    const columns = await Promise.all(
      weights.map((weight) => this.#release.weightCounts(county, weight)),
    );
    // Weights outside the area are zero, so that sums need not test whether a block is in the area.
    const masked = columns.map((column) => maskedBy(ordinals, column));
    masked.forEach((column, w) => {
      this.#totals[w] += sumOf(ordinals, column);
    });
    for (const [m, position] of modes.entries()) {
      const street = linkModeOf(this.#release.services[position].mode);
      const unlinked = index.unlinked(street);
      masked.forEach((column, w) => {
        this.#noData[m * weights.length + w] += sumOf(unlinked, column);
      });
      await this.#release.turns.yieldIfOverdue();
    }
    const matrix = await this.#release.nthNearest(county);
    const wanted = types.map((type) => matrix.originOrdinal(nthNearestId(type, nth)));
    for (const [t, encoded] of (await matrix.encodedRows(wanted)).entries()) {
      for (const [m, position] of modes.entries()) {
        const times = encoded.mode(position);
        for (let w = 0; w < weights.length; w++) {
          const sumRow = (t * modes.length + m) * weights.length + w;
          addTimes(this.#sumsOf(sumRow), this.#slots.of, times, masked[w]);
          await this.#release.turns.yieldIfOverdue();
        }
      }
    }
  }

  /** Adds a row for each type, mode and weight; rows of groups also have their measures. */
  async addTo(rows: Rows): Promise<void> {
    const { modes, types, weights, areGroups, hasSmall, nth } = this.#query;
    const add = rows.of(...coverageParts(this.#query));
    let at = 0;
    for (const type of types) {
      for (const [m, position] of modes.entries()) {
        const mode = this.#release.services[position].mode;
        let reference: GroupSums | undefined;
        for (const [w, weight] of weights.entries()) {
          const sums = this.#sumsOf(at++);
          const within = this.#within(sums);
          const total = this.#totals[w];
          const no_data = this.#noData[m * weights.length + w];
          const known = total - no_data;
          const beyond = known - within[COVERAGE_MINUTES.at(-1)!];
          reference ??= { within, known };
          const row = { mode, weight, nth, total, within, beyond, no_data };
          const isStated = known >= SMALL_GROUP || hasSmall;
          const measures = !areGroups
            ? null
            : isStated
              ? measuresOf({ within, known }, reference, sums, beyond)
              : UNSTATED;
          add(type, { ...row, ...measures });
          await this.#release.turns.yieldIfOverdue();
        }
      }
    }
  }

  #sumsOf(row: number): Float64Array {
    const { count } = this.#slots;
    return this.#sums.subarray(row * count, (row + 1) * count);
  }

  #within(sums: Float64Array): Record<string, number> {
    const within: Record<string, number> = {};
    let sum = 0;
    let slot = 0;
    for (const minutes of COVERAGE_MINUTES) {
      for (const last = this.#slots.of[minutes * 10]; slot <= last; slot++) sum += sums[slot];
      within[String(minutes)] = sum;
    }
    return within;
  }
}

const NONE = Object.fromEntries(COVERAGE_MINUTES.map((minutes) => [String(minutes), null]));
const UNSTATED = { share: NONE, ratio: NONE, gini: null };

/** Returns the measures of a group; `byTime` holds its sums by tenths of a minute. */
function measuresOf(group: GroupSums, reference: GroupSums, byTime: Float64Array, beyond: number) {
  return {
    share: sharesOf(group),
    ratio: ratiosOf(group, reference),
    gini: giniOf(byTime, beyond),
  };
}

function addTimes(
  sums: Float64Array,
  slotOf: Uint16Array,
  { targets, times }: ModeRow,
  weight: Uint32Array,
): void {
  for (let i = 0; i < targets.length; i++) sums[slotOf[times[i]]] += weight[targets[i]];
}
