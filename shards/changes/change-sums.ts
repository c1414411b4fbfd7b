import { CHANGE_STEPS, type Measure, stepsOf, summed, UNKNOWN } from './block-change.ts';
import type { ComparedValues } from './compared-county.ts';

export interface ChangeSums {
  /** `gained["1"]` + `lost["1"]` + `unchanged` + `no_data`. */
  readonly total: number;
  /** By each of `CHANGE_STEPS`: where the change is at least that large. */
  readonly gained: Readonly<Record<string, number>>;
  readonly lost: Readonly<Record<string, number>>;
  /** Where the change is smaller than the first step. */
  readonly unchanged: number;
  /** Parts of the above with a time within 30 minutes after, or before, only; 0 for counts. */
  readonly newly_within: number;
  readonly no_longer_within: number;
  /**
   * Averages by the weight over blocks whose value is known in both releases, to two decimals; null
   * without any. Minutes, of which those beyond 30 count as 30; or counts.
   */
  readonly mean_before: number | null;
  readonly mean_after: number | null;
  /** Where the value is not known in one of the releases. */
  readonly no_data: number;
}

const STEPS = CHANGE_STEPS.length;
/** Slots of a sum: one per number of steps from -STEPS to STEPS, then these. */
const STEP_SLOTS = 2 * STEPS + 1;
const [NO_DATA, NEWLY, NO_LONGER, BEFORE, AFTER] = [0, 1, 2, 3, 4].map((i) => STEP_SLOTS + i);
const SLOTS = STEP_SLOTS + 5;

/**
 * Sums weights by how measures changed, for several areas. Counts are whole numbers below 2⁵³, so
 * that sums do not depend on the order of blocks.
 */
export class ChangeTotals {
  readonly #measures: readonly Measure[];
  readonly #weights: number;
  readonly #sums: Float64Array;

  constructor(areas: number, measures: readonly Measure[], weights: number) {
    this.#measures = measures;
    this.#weights = weights;
    this.#sums = new Float64Array(areas * measures.length * weights * SLOTS);
  }

  /**
   * Adds the blocks of a county to the sums of one measure and weight. `areas`: the number of each
   * block's area, -1 for none; null if all are in area 0.
   */
  add(
    { measure, before, after }: ComparedValues,
    weight: number,
    counts: Float64Array,
    areas: Int32Array | null,
  ): void {
    const { kind } = this.#measures[measure];
    const sums = this.#sums;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i];
      const area = areas === null ? 0 : areas[i];
      if (count === 0 || area === -1) continue;
      const at = this.#slotsOf(area, measure, weight);
      const [was, is] = [before[i], after[i]];
      if (was === UNKNOWN || is === UNKNOWN) {
        sums[at + NO_DATA] += count;
        continue;
      }
      sums[at + STEPS + stepsOf(kind, was, is)] += count;
      sums[at + BEFORE] += count * summed(kind, was);
      sums[at + AFTER] += count * summed(kind, is);
      if (kind !== 'minutes' || (was === 0) === (is === 0)) continue;
      sums[at + (was === 0 ? NEWLY : NO_LONGER)] += count;
    }
  }

  of(area: number, measure: number, weight: number): ChangeSums {
    const at = this.#slotsOf(area, measure, weight);
    const sums = this.#sums.subarray(at, at + SLOTS);
    /** The sum over the blocks that reach at least some steps in one direction. */
    const reaching = (steps: number, sign: 1 | -1) => {
      let sum = 0;
      for (let step = steps; step <= STEPS; step++) sum += sums[STEPS + sign * step];
      return sum;
    };
    const byStep = (sign: 1 | -1) =>
      Object.fromEntries(CHANGE_STEPS.map((step, i) => [String(step), reaching(i + 1, sign)]));
    const unchanged = sums[STEPS];
    const known = reaching(1, 1) + reaching(1, -1) + unchanged;
    const perUnit = this.#measures[measure].kind === 'minutes' ? 10 : 1;
    const mean = (sum: number) =>
      known === 0 ? null : Math.round((100 * sum) / (known * perUnit)) / 100;
    return {
      total: known + sums[NO_DATA],
      gained: byStep(1),
      lost: byStep(-1),
      unchanged,
      newly_within: sums[NEWLY],
      no_longer_within: sums[NO_LONGER],
      mean_before: mean(sums[BEFORE]),
      mean_after: mean(sums[AFTER]),
      no_data: sums[NO_DATA],
    };
  }

  #slotsOf(area: number, measure: number, weight: number): number {
    return ((area * this.#measures.length + measure) * this.#weights + weight) * SLOTS;
  }
}
