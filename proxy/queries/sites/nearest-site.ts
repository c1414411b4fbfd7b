import type { Minutes } from '../../../shards/units.ts';
import type { CoverBits } from './greedy-cover.ts';
import { cumulative, minuteSums, NEVER, type SiteReach } from './site-reach.ts';

/** Blocks processed between two pauses, in well under a millisecond. */
const BLOCKS_PER_STEP = 1 << 13;

/** Minutes between each block of an area and its nearest site. */
export class NearestSite {
  /** Minutes by block; `NEVER` if no site is within an hour. */
  readonly minutes: Uint8Array;
  /** Minutes to the second nearest site. */
  readonly #second: Uint8Array;
  /** The nearest site, numbered in the order in which sites were added. */
  readonly #site: Uint16Array;
  #sites = 0;

  constructor(blocks: number) {
    this.minutes = new Uint8Array(blocks).fill(NEVER);
    this.#second = new Uint8Array(blocks).fill(NEVER);
    this.#site = new Uint16Array(blocks);
  }

  add({ positions, minutes }: SiteReach): void {
    const site = this.#sites++;
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i];
      if (minutes[i] < this.minutes[position]) {
        this.#second[position] = this.minutes[position];
        this.minutes[position] = minutes[i];
        this.#site[position] = site;
      } else if (minutes[i] < this.#second[position]) {
        this.#second[position] = minutes[i];
      }
    }
  }

  /** Returns the counts that a candidate adds: at index `m`, those newly within `m` minutes. */
  gain({ positions, minutes }: SiteReach, counts: Float64Array): Float64Array {
    const changes = minuteSums();
    for (let i = 0; i < positions.length; i++) {
      const [before, after] = [this.minutes[positions[i]], minutes[i]];
      if (after >= before) continue;
      changes[after] += counts[positions[i]];
      changes[before] -= counts[positions[i]];
    }
    return cumulative(changes);
  }

  /**
   * Computes the counts that each site covers alone: at index `m`, those with no other site within
   * `m` minutes.
   */
  *aloneSteps(counts: Float64Array): Generator<undefined, Float64Array[], undefined> {
    const changes = Array.from({ length: this.#sites }, minuteSums);
    for (let first = 0; first < counts.length; first += BLOCKS_PER_STEP) {
      const end = Math.min(counts.length, first + BLOCKS_PER_STEP);
      for (let i = first; i < end; i++) {
        if (this.minutes[i] === NEVER) continue;
        const own = changes[this.#site[i]];
        own[this.minutes[i]] += counts[i];
        own[this.#second[i]] -= counts[i];
      }
      yield;
    }
    return changes.map(cumulative);
  }

  /** Computes cumulative counts: at index `m`, those within `m` minutes. */
  *withinSteps(counts: Float64Array): Generator<undefined, Float64Array, undefined> {
    const sums = minuteSums();
    for (let first = 0; first < counts.length; first += BLOCKS_PER_STEP) {
      const end = Math.min(counts.length, first + BLOCKS_PER_STEP);
      for (let i = first; i < end; i++) sums[this.minutes[i]] += counts[i];
      yield;
    }
    return cumulative(sums);
  }

  *coveredSteps(most: Minutes): Generator<undefined, CoverBits, undefined> {
    const bits = new Uint32Array(Math.ceil(this.minutes.length / 32));
    for (let first = 0; first < this.minutes.length; first += BLOCKS_PER_STEP) {
      const end = Math.min(this.minutes.length, first + BLOCKS_PER_STEP);
      for (let i = first; i < end; i++) {
        if (this.minutes[i] <= most) bits[i >>> 5] |= 1 << (i & 31);
      }
      yield;
    }
    return bits;
  }
}
