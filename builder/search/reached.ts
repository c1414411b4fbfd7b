import { OrdinalSet } from '../../shards/arrays/ordinal-set.ts';
import { rankIn } from '../../shards/arrays/sorted.ts';
import type { Millis } from '../../shards/units.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import type { SearchRegion } from './search-region.ts';

/** Maximum times in rows, to destinations and to blocks. */
export const DESTINATION_LIMIT: Millis = ROUTING.maxMinutes * MILLIS_PER_MINUTE;
export const BLOCK_LIMIT: Millis = ROUTING.maxReachMinutes * MILLIS_PER_MINUTE;

/** The targets that a block reaches by a mode. */
export interface Reached {
  /** Milliseconds to each destination and block; over the limit where not reached. */
  readonly times: Int32Array;
  /**
   * The targets within their limits, ascending: `destinationCount` destinations, then blocks;
   * `count` targets in all.
   */
  readonly targets: Uint32Array;
  readonly destinationCount: number;
  readonly count: number;
}

/** The targets of a search that are near enough for a row. */
export class WithinLimits implements Reached {
  readonly #firstBlock: number;
  readonly #all: number;
  readonly #set: OrdinalSet;
  readonly times: Int32Array;
  readonly targets: Uint32Array;
  destinationCount = 0;
  count = 0;

  constructor({ destinationCount, blockCount }: SearchRegion, times: Int32Array) {
    this.#firstBlock = destinationCount;
    this.#all = destinationCount + blockCount;
    this.#set = new OrdinalSet(this.#all);
    this.times = times;
    this.targets = new Uint32Array(this.#all);
  }

  /**
   * Selects the targets of a search that are within their limits. They may be in any order and
   * repeated.
   */
  take(found: Uint32Array, count: number): void {
    const times = this.times;
    const set = this.#set;
    for (let i = 0; i < count; i++) {
      const target = found[i];
      if (target >= this.#all) continue;
      const limit = target < this.#firstBlock ? DESTINATION_LIMIT : BLOCK_LIMIT;
      if (times[target] <= limit) set.add(target);
    }
    this.count = set.moveTo(this.targets);
    this.destinationCount = rankIn(this.targets.subarray(0, this.count), this.#firstBlock);
  }
}
