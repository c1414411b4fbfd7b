import { linkModeOf } from '../../../shards/blocks/block-index.ts';
import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import type { Matrix } from '../../../shards/matrix/matrix.ts';
import { MINUTES, type ModeRow } from '../../../shards/matrix/row-codec.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Minutes } from '../../../shards/units.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import { maskedBy, sumOf } from '../block-weights.ts';
import type { CoverBits } from './greedy-cover.ts';
import type { LocatedSite } from './locate-sites.ts';

/** Sites whose rows are read at once. */
const WIDTH = 16;
/** No time: later than all. */
const NEVER = MINUTES.most + 1;

/** The blocks of an area as one list, with their weights. */
export class WeightedArea {
  /** Ascending. */
  readonly geoids: Float64Array;
  /** By weight, then block. */
  readonly weights: readonly Float64Array[];
  readonly totals: readonly number[];
  /** By weight: over the blocks that the mode could not be routed from. */
  readonly noData: readonly number[];
  readonly #ordinals = new Map<Matrix, Int32Array>();

  private constructor(
    geoids: Float64Array,
    weights: readonly Float64Array[],
    totals: readonly number[],
    noData: readonly number[],
  ) {
    this.geoids = geoids;
    this.weights = weights;
    this.totals = totals;
    this.noData = noData;
  }

  /** `parts`: ascending by county. */
  static async of(
    release: Release,
    parts: readonly CountyBlocks[],
    mode: number,
    names: readonly string[],
    waiters: Waiters,
  ): Promise<WeightedArea> {
    const count = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
    const geoids = new Float64Array(count);
    const weights = names.map(() => new Float64Array(count));
    const totals = names.map(() => 0);
    const noData = names.map(() => 0);
    const street = linkModeOf(release.manifest.modes[mode]);
    let at = 0;
    for (const { county, index, ordinals } of parts) {
      const columns = await Promise.all(names.map((name) => release.weightCounts(county, name)));
      for (const [w, column] of columns.entries()) {
        totals[w] += sumOf(ordinals, column);
        noData[w] += sumOf(index.unlinked(street), maskedBy(ordinals, column));
        const own = weights[w].subarray(at, at + ordinals.length);
        for (let i = 0; i < own.length; i++) own[i] = column[ordinals[i]];
        const pause = yieldIfOverdue(waiters);
        if (pause) await pause;
      }
      const own = geoids.subarray(at, at + ordinals.length);
      for (let i = 0; i < own.length; i++) own[i] = index.geoids[ordinals[i]];
      at += ordinals.length;
    }
    return new WeightedArea(geoids, weights, totals, noData);
  }

  /** By target of a matrix, its position in the area, or -1. */
  positionsIn(matrix: Matrix): Int32Array {
    const known = this.#ordinals.get(matrix);
    if (known) return known;
    const { targets } = matrix;
    const positions = new Int32Array(targets.length).fill(-1);
    for (let i = 0, at = 0; i < targets.length && at < this.geoids.length; i++) {
      while (at < this.geoids.length && this.geoids[at] < targets[i]) at++;
      if (this.geoids[at] === targets[i]) positions[i] = at;
    }
    this.#ordinals.set(matrix, positions);
    return positions;
  }
}

/** Blocks of an area within reach of a site: positions in the area, and minutes. */
export interface SiteReach {
  readonly positions: Uint32Array;
  readonly minutes: Uint8Array;
}

/** Reads, in order, the blocks of an area that each site reaches, or that reach it. */
export async function* reachesOf(
  release: Release,
  sites: readonly LocatedSite[],
  area: WeightedArea,
  { mode, direction }: { readonly mode: number; readonly direction: Direction },
  waiters: Waiters,
): AsyncGenerator<{ site: LocatedSite; reach: SiteReach }> {
  for (let first = 0; first < sites.length; first += WIDTH) {
    const rows = await Promise.all(
      sites.slice(first, first + WIDTH).map(async (site) => {
        const { county, ordinal } = site.block;
        const matrix = await release.reach(county, direction);
        return { site, matrix, row: await matrix.encodedRow(ordinal) };
      }),
    );
    for (const { site, matrix, row } of rows) {
      yield { site, reach: reachIn(row.mode(mode), area.positionsIn(matrix)) };
      const pause = yieldIfOverdue(waiters);
      if (pause) await pause;
    }
  }
}

function reachIn({ targets, times }: ModeRow, positionOf: Int32Array): SiteReach {
  const positions = new Uint32Array(targets.length);
  const minutes = new Uint8Array(targets.length);
  let count = 0;
  for (let i = 0; i < targets.length; i++) {
    const position = positionOf[targets[i]];
    if (position === -1) continue;
    positions[count] = position;
    minutes[count++] = times[i];
  }
  return { positions: positions.subarray(0, count), minutes: minutes.subarray(0, count) };
}

/** Minutes from each block of an area to the nearest of some sites. */
export class NearestSite {
  /** `NEVER` where there is none within an hour. */
  readonly minutes: Uint8Array;
  /** Minutes to the second nearest. */
  readonly #second: Uint8Array;
  /** The nearest, by the order in which sites were added. */
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

  /** Weight that each site covers alone, by minutes: at `m`, that with no other within `m`. */
  alone(weights: Float64Array): Float64Array[] {
    const changes = Array.from({ length: this.#sites }, () => new Float64Array(NEVER + 1));
    for (let i = 0; i < weights.length; i++) {
      if (this.minutes[i] === NEVER) continue;
      const own = changes[this.#site[i]];
      own[this.minutes[i]] += weights[i];
      own[this.#second[i]] -= weights[i];
    }
    return changes.map(cumulative);
  }

  /** Weight by minutes, cumulative: at `m`, that within `m` minutes. */
  within(weights: Float64Array): Float64Array {
    const sums = new Float64Array(NEVER + 1);
    for (let i = 0; i < weights.length; i++) sums[this.minutes[i]] += weights[i];
    return cumulative(sums);
  }

  /** Weight that a candidate adds, by minutes: at `m`, that newly within `m` minutes. */
  gain({ positions, minutes }: SiteReach, weights: Float64Array): Float64Array {
    const changes = new Float64Array(NEVER + 1);
    for (let i = 0; i < positions.length; i++) {
      const [before, now] = [this.minutes[positions[i]], minutes[i]];
      if (now >= before) continue;
      changes[now] += weights[positions[i]];
      changes[before] -= weights[positions[i]];
    }
    return cumulative(changes);
  }

  /** The blocks within some minutes. */
  covered(most: Minutes): CoverBits {
    const bits = new Uint32Array(Math.ceil(this.minutes.length / 32));
    for (let i = 0; i < this.minutes.length; i++) {
      if (this.minutes[i] <= most) bits[i >>> 5] |= 1 << (i & 31);
    }
    return bits;
  }
}

/** Weight within reach of a single site, by minutes, cumulative. */
export function withinOf({ positions, minutes }: SiteReach, weights: Float64Array): Float64Array {
  const sums = new Float64Array(NEVER + 1);
  for (let i = 0; i < positions.length; i++) sums[minutes[i]] += weights[positions[i]];
  return cumulative(sums);
}

/** The blocks of an area within some minutes of a site. */
export function coverOf(
  { positions, minutes }: SiteReach,
  blocks: number,
  most: Minutes,
): CoverBits {
  const bits = new Uint32Array(Math.ceil(blocks / 32));
  for (let i = 0; i < positions.length; i++) {
    if (minutes[i] <= most) bits[positions[i] >>> 5] |= 1 << (positions[i] & 31);
  }
  return bits;
}

function cumulative(sums: Float64Array): Float64Array {
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
