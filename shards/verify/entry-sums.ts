import type { ModeRow } from '../matrix/row-codec.ts';

/** Ids on one side of a matrix, each with two hashes: lane `l` of id `i` is at `2 × i + l`. */
export type IdHashes = Int32Array;

/** The end of a journey that ids are at, since A to B is not B to A. */
type Side = 'from' | 'to';

const SEEDS: Readonly<Record<Side, readonly [number, number]>> = {
  from: [0x9e3779b9, 0x7f4a7c15],
  to: [0x3c6ef372, 0xbb67ae85],
};
const ENTRY_FACTORS = [0x2545f491, 0x5851f42d] as const;

/** Hashes ids below 2⁵³. */
export function hashIds(ids: Float64Array, side: Side): IdHashes {
  const hashes = new Int32Array(ids.length * 2);
  for (let i = 0; i < ids.length; i++) {
    const low = ids[i] | 0;
    const high = Math.floor(ids[i] / 2 ** 32);
    for (let lane = 0; lane < 2; lane++) {
      hashes[i * 2 + lane] = mix(mix(low ^ SEEDS[side][lane]) ^ high);
    }
  }
  return hashes;
}

/**
 * Order-independent digests of matrix entries: a matrix and its transpose have the same digests.
 * Each entry (from, to, mode, time) is hashed to two lanes of 32 bits, and the hashes are summed
 * per group of entries.
 */
export class EntrySums {
  readonly #lanes: Int32Array;
  readonly #counts: Float64Array;

  constructor(groups: number) {
    this.#lanes = new Int32Array(groups * 2);
    this.#counts = new Float64Array(groups);
  }

  /**
   * Adds a row. The hashes of the row's own id are at `row` in `rows`, those of its targets are in
   * `columns`, and the groups of targets are in `groupOf`, where -1 means none.
   */
  add(
    rows: IdHashes,
    row: number,
    columns: IdHashes,
    groupOf: Int32Array,
    modes: readonly ModeRow[],
  ): void {
    const [low, high] = [rows[row * 2], rows[row * 2 + 1]];
    for (let mode = 0; mode < modes.length; mode++) {
      const { targets, times } = modes[mode];
      for (let i = 0; i < targets.length; i++) {
        const column = targets[i];
        const group = groupOf[column];
        if (group < 0) continue;
        this.#add(group, low ^ columns[column * 2], high ^ columns[column * 2 + 1], mode, times[i]);
      }
    }
  }

  #add(group: number, low: number, high: number, mode: number, time: number): void {
    const entry = (mode << 16) + time + 1;
    const at = group * 2;
    this.#lanes[at] += mix(low ^ Math.imul(entry, ENTRY_FACTORS[0]));
    this.#lanes[at + 1] += mix(high ^ Math.imul(entry, ENTRY_FACTORS[1]));
    this.#counts[group]++;
  }

  count(group: number): number {
    return this.#counts[group];
  }

  /** Digest of a group; equal digests mean, in all likelihood, the same entries. */
  digest(group: number): string {
    const [low, high] = [this.#lanes[group * 2] >>> 0, this.#lanes[group * 2 + 1] >>> 0];
    return `${this.#counts[group]}:${high}:${low}`;
  }
}

/**
 * The finaliser of MurmurHash3 (A. Appleby, 2011): every input bit flips half of the output bits.
 */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
