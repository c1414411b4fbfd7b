import { bitCount } from '../../../shards/arrays/bits.ts';
import { linkModeOf, type Mode } from '../../../shards/modes.ts';
import { nthNearestId } from '../../../shards/nearest/nth-nearest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { DestTypeId, Minutes, ReleaseMode, Tenths } from '../../../shards/units.ts';
import { invalidParameters } from '../../http/problem.ts';
import { modeFault, type TypeName, typeFault } from '../modes-and-types.ts';
import { tenthsWithin } from '../pois/poi-times.ts';
import type { CountyBlocks } from './drawn-blocks.ts';

/** A criterion as sent: the `nth` nearest POI of `type` by `mode` is within `max_minutes`. */
export interface CriterionParams {
  readonly type: TypeName;
  readonly mode: Mode;
  readonly max_minutes: Minutes;
  readonly nth: number;
}

/** A criterion that a block meets or fails, or whose outcome at a block is unknown. */
export interface Criterion {
  /** A leaf type, or a parent type that any of its leaf types satisfies. */
  readonly type: DestTypeId;
  readonly mode: ReleaseMode;
  readonly nth: number;
  readonly maxTenths: Tenths;
}

export function requestedCriteria(
  release: Release,
  asked: readonly CriterionParams[],
): readonly Criterion[] {
  const faults = asked.flatMap(({ type, mode }, i) => [
    ...typeFault(release, type, ['body', 'all_of', i, 'type']),
    ...modeFault(release, mode, ['body', 'all_of', i, 'mode']),
  ]);
  if (faults.length > 0) throw invalidParameters(faults);
  return asked.map(({ type, mode, nth, max_minutes }) => ({
    type: release.taxonomy.idOf(type)!,
    mode: release.positionOf(mode),
    nth,
    maxTenths: tenthsWithin(max_minutes),
  }));
}

/** Outcomes of criteria at the blocks of a county: bit `j` is criterion `j`. */
interface CriteriaBits {
  readonly met: Uint16Array;
  /** Criteria whose mode could not be routed from the block, by block ordinal. */
  readonly unknown: Uint16Array;
}

export async function criteriaBits(
  release: Release,
  { county, index }: Pick<CountyBlocks, 'county' | 'index'>,
  criteria: readonly Criterion[],
): Promise<CriteriaBits> {
  const met = new Uint16Array(index.count);
  const unknown = new Uint16Array(index.count);
  const matrix = await release.nthNearest(county);
  const ids = criteria.map(({ type, nth }) => matrix.originOrdinal(nthNearestId(type, nth)));
  const ascending = [...new Set(ids)].sort((a, b) => a - b);
  const rows = await matrix.encodedRows(ascending);
  for (const [j, { mode, maxTenths }] of criteria.entries()) {
    const bit = 1 << j;
    const { targets, times } = rows[ascending.indexOf(ids[j])].mode(mode);
    for (let i = 0; i < targets.length; i++) if (times[i] <= maxTenths) met[targets[i]] |= bit;
    const street = linkModeOf(release.services[mode].mode);
    for (const block of index.unlinked(street)) unknown[block] |= bit;
    await release.turns.yieldIfOverdue();
  }
  return { met, unknown };
}

/** Sums of a weight over the blocks of an area, by the criteria that they meet. */
export class BasketSums {
  readonly #criteria: number;
  /** Sums by the number of criteria met. */
  readonly #met: Float64Array;
  readonly #missingOnly: Float64Array;
  #noData = 0;

  constructor(criteria: number) {
    this.#criteria = criteria;
    this.#met = new Float64Array(criteria + 1);
    this.#missingOnly = new Float64Array(criteria);
  }

  /** Adds blocks; a block counts as no data if no criterion fails and at least one is unknown. */
  add(ordinals: Uint32Array, { met, unknown }: CriteriaBits, weights: Uint32Array): void {
    const all = (1 << this.#criteria) - 1;
    for (const block of ordinals) {
      const weight = weights[block];
      const failed = all & ~(met[block] | unknown[block]);
      if (failed === 0 && unknown[block] !== 0) {
        this.#noData += weight;
        continue;
      }
      this.#met[bitCount(met[block])] += weight;
      // Exactly one criterion fails, and none is unknown.
      if (failed !== 0 && (failed & (failed - 1)) === 0 && unknown[block] === 0) {
        this.#missingOnly[31 - Math.clz32(failed)] += weight;
      }
    }
  }

  result(all_of: readonly CriterionParams[]) {
    const met = Array.from(this.#met);
    const total = met.reduce((sum, one) => sum + one, this.#noData);
    return {
      all_of,
      total,
      with_all: met[this.#criteria],
      met,
      missing_only: Array.from(this.#missingOnly),
      no_data: this.#noData,
    };
  }
}
