import { linkModeOf } from '../../../shards/blocks/block-index.ts';
import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import type { ModeRow } from '../../../shards/matrix/row-codec.ts';
import type { Mode } from '../../../shards/modes.ts';
import { nthNearestId } from '../../../shards/nearest/nth-nearest.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ObjectRef } from '../../../shards/store/store.ts';
import type { DestTypeId, Tenths } from '../../../shards/units.ts';
import { COVERAGE } from '../../formats/row-table.ts';
import type { Rows } from '../../formats/rows.ts';
import { maskedBy, requestedWeights } from '../block-weights.ts';
import { modeLabels, modePositions, requestedLeaves } from '../modes-and-types.ts';
import type { CountyBlocks } from './drawn-blocks.ts';

/** A step of the minutes within which weights are summed. */
const STEP: Tenths = 50;
const STEPS = 6;

/** The sums that a request wants. */
export interface CoverageQuery {
  /** Positions among the release's modes, ascending. */
  readonly modes: readonly number[];
  /** Leaf types, ascending. */
  readonly types: readonly DestTypeId[];
  readonly weights: readonly string[];
  readonly nth: number;
}

/** The sums that a request selects, and their spelling in a canonical request. */
export function requestedCoverage(
  release: Release,
  asked: {
    readonly mode?: readonly Mode[] | undefined;
    readonly type?: readonly DestTypeId[] | undefined;
    readonly weight?: readonly string[] | undefined;
    readonly nth: number;
  },
  part: 'query' | 'body' = 'query',
): { query: CoverageQuery; spelled: Readonly<Record<string, unknown>> } {
  const types = requestedLeaves(release, asked.type, part) ?? release.taxonomy.leafIds;
  const modes = modePositions(release, asked.mode, part);
  const weights = requestedWeights(release, asked.weight, part);
  const { nth } = asked;
  return {
    query: { modes, types, weights, nth },
    spelled: { mode: modeLabels(release, modes), type: types, weight: weights, nth },
  };
}

/** The objects of a county that its sums depend on. */
export function coverageObjects(
  release: Release,
  county: CountyManifest,
  { weights }: CoverageQuery,
): ObjectRef[] {
  const { index, 'nth-nearest': nthNearest } = county.objects;
  return [index, nthNearest, ...weights.map((weight) => release.weightObject(county, weight))];
}

/**
 * Sums of weights over the blocks of an area, by the time to the n-th nearest POI of each type: by
 * type, mode, weight. Sums of whole numbers, so they do not depend on the order of blocks.
 */
export class CoverageSums {
  readonly #release: Release;
  readonly #query: CoverageQuery;
  /** By row, within so many steps exactly: not yet cumulative. */
  readonly #steps: Float64Array;
  /** By weight; by mode, then weight. */
  readonly #totals: Float64Array;
  readonly #noData: Float64Array;

  constructor(release: Release, query: CoverageQuery) {
    const { modes, types, weights } = query;
    this.#release = release;
    this.#query = query;
    this.#steps = new Float64Array(types.length * modes.length * weights.length * STEPS);
    this.#totals = new Float64Array(weights.length);
    this.#noData = new Float64Array(modes.length * weights.length);
  }

  /** Adds the blocks of an area in a county. One range read if their county's head is cached. */
  async add({ county, index, ordinals }: CountyBlocks, waiters: Waiters): Promise<void> {
    const { modes, types, weights, nth } = this.#query;
    const columns = await Promise.all(
      weights.map((weight) => this.#release.weightCounts(county, weight)),
    );
    // Zero outside the area, so that a block is looked up in it by its weight.
    const masked = columns.map((column) => maskedBy(ordinals, column));
    masked.forEach((column, w) => {
      this.#totals[w] += sumOf(column, ordinals);
    });
    for (const [m, position] of modes.entries()) {
      const street = linkModeOf(this.#release.manifest.modes[position]);
      const unlinked = index.unlinked(street);
      masked.forEach((column, w) => {
        this.#noData[m * weights.length + w] += sumOf(column, unlinked);
      });
      const pause = yieldIfOverdue(waiters);
      if (pause) await pause;
    }
    const matrix = await this.#release.nthNearest(county);
    const wanted = types.map((type) => matrix.originOrdinal(nthNearestId(type, nth)));
    for (const [t, row] of (await matrix.encodedRows(wanted)).entries()) {
      for (const [m, position] of modes.entries()) {
        const times = row.mode(position);
        for (let w = 0; w < weights.length; w++) {
          const first = ((t * modes.length + m) * weights.length + w) * STEPS;
          addSteps(this.#steps.subarray(first, first + STEPS), times, masked[w]);
          const pause = yieldIfOverdue(waiters);
          if (pause) await pause;
        }
      }
    }
  }

  /** Adds a row for each type, mode and weight. */
  addTo(rows: Rows): void {
    const { modes, types, weights, nth } = this.#query;
    const { format } = rows;
    let first = 0;
    for (const dest_type_id of types) {
      for (const [m, position] of modes.entries()) {
        for (const [w, weight] of weights.entries()) {
          const within: Record<string, number> = {};
          let sum = 0;
          for (let step = 0; step < STEPS; step++) {
            sum += this.#steps[first + step];
            within[String(((step + 1) * STEP) / 10)] = sum;
          }
          first += STEPS;
          const total = this.#totals[w];
          const no_data = this.#noData[m * weights.length + w];
          const mode = this.#release.manifest.modes[position];
          const beyond = total - sum - no_data;
          const row = { dest_type_id, mode, weight, nth, total, within, beyond, no_data };
          rows.add(format.begin(0, 0) + format.members(row, COVERAGE.columns) + format.end);
        }
      }
    }
  }
}

function addSteps(steps: Float64Array, { targets, times }: ModeRow, weight: Uint32Array): void {
  for (let i = 0; i < targets.length; i++) {
    steps[STEP_OF[times[i]]] += weight[targets[i]];
  }
}

/** The step that each time is within, by tenths of a minute. */
const STEP_OF = Uint8Array.from({ length: STEPS * STEP + 1 }, (_, tenths) =>
  Math.floor(Math.max(0, tenths - 1) / STEP),
);

function sumOf(weights: Uint32Array, ordinals: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < ordinals.length; i++) sum += weights[ordinals[i]];
  return sum;
}
