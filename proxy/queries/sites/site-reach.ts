import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import type { Geoid, GeoidNumber } from '../../../shards/geoid.ts';
import type { Matrix } from '../../../shards/matrix/matrix.ts';
import { MINUTES, type ModeRow } from '../../../shards/matrix/row-codec.ts';
import type { Direction } from '../../../shards/release/manifest.ts';
import type { Minutes } from '../../../shards/units.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import type { LocatedPlace } from '../addresses/locate-sent.ts';
import { knownBlocks } from '../areas/area.ts';
import type { CountyBlocks } from '../areas/drawn-blocks.ts';
import type { CoverBits } from './greedy-cover.ts';
import { type ByMode, readWeight, WeightedArea } from './weighted-area.ts';

/** Blocks of an area within reach of a site: positions in the area, and minutes. */
export interface SiteReach {
  readonly positions: Uint32Array;
  readonly minutes: Uint8Array;
}

/** Sites whose rows are read concurrently. */
const WIDTH = 16;

export interface Reaching extends ByMode {
  readonly direction: Direction;
}

interface SiteRow extends ModeRow {
  readonly matrix: Matrix;
}

async function* rowsOf(
  sites: readonly LocatedPlace[],
  { release, mode, direction }: Reaching,
): AsyncGenerator<SiteRow> {
  for (let first = 0; first < sites.length; first += WIDTH) {
    const rows = await Promise.all(
      sites.slice(first, first + WIDTH).map(async ({ block: { county, ordinal } }) => {
        const matrix = await release.reach(county, direction);
        return { matrix, row: await matrix.encodedRow(ordinal) };
      }),
    );
    for (const { matrix, row } of rows) {
      yield { matrix, ...row.mode(mode) };
      await release.turns.yieldIfOverdue();
    }
  }
}

/** Reads, in order, the blocks of an area that each site reaches, or that reach it. */
export async function* reachesOf(
  sites: readonly LocatedPlace[],
  area: WeightedArea,
  reaching: Reaching,
): AsyncGenerator<SiteReach> {
  for await (const row of rowsOf(sites, reaching)) {
    yield reachIn(row, area.positionsIn(row.matrix));
  }
}

/** Finds the blocks of the release that any of some sites reaches, or that reach it, in time. */
export async function blocksReached(
  sites: readonly LocatedPlace[],
  most: Minutes,
  reaching: Reaching,
): Promise<CountyBlocks[]> {
  const { release } = reaching;
  /** Whether each target of a matrix is reached. */
  const reached = new Map<Matrix, Uint8Array>();
  for await (const { matrix, targets, times } of rowsOf(sites, reaching)) {
    const isReached = getOrInsertComputed(
      reached,
      matrix,
      ({ targets }) => new Uint8Array(targets.length),
    );
    for (let i = 0; i < targets.length; i++) if (times[i] <= most) isReached[targets[i]] = 1;
  }
  const geoids = new Set<GeoidNumber>();
  for (const [{ targets }, isReached] of reached) {
    for (let i = 0; i < targets.length; i++) if (isReached[i]) geoids.add(targets[i]);
    await release.turns.yieldIfOverdue();
  }
  return (await knownBlocks(release, Float64Array.from(geoids).sort())).parts;
}

/**
 * Returns a function that finds, among some sites, the blocks from which an area is near: which
 * reach a block of it, or are reached, within `most` minutes.
 */
export async function nearArea(
  parts: readonly CountyBlocks[],
  most: Minutes,
  reaching: Reaching,
): Promise<(sites: readonly LocatedPlace[]) => Promise<Set<Geoid>>> {
  const area = new WeightedArea(parts, await readWeight(parts, PEOPLE.weight, reaching));
  return async (sites) => {
    const byBlock = new Map(sites.map((site) => [site.block.geoid, site]));
    const blocks = byBlock.keys();
    const near = new Set<Geoid>();
    for await (const { minutes } of reachesOf([...byBlock.values()], area, reaching)) {
      const geoid = blocks.next().value!;
      if (minutes.some((one) => one <= most)) near.add(geoid);
    }
    return near;
  };
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

/** Returns the cumulative counts within reach of a single site, by minutes. */
export function withinOf({ positions, minutes }: SiteReach, counts: Float64Array): Float64Array {
  const sums = minuteSums();
  for (let i = 0; i < positions.length; i++) sums[minutes[i]] += counts[positions[i]];
  return cumulative(sums);
}

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

/** Stands for no time within an hour; greater than every stored time. */
export const NEVER = MINUTES.most + 1;

/** Creates sums by minutes, up to and including `NEVER`, all 0. */
export function minuteSums(): Float64Array {
  return new Float64Array(NEVER + 1);
}

/** Replaces the sum at each minute with the prefix sum up to that minute, in place. */
export function cumulative(sums: Float64Array): Float64Array {
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
