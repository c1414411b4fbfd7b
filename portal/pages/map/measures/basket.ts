import { bitCount } from '../../../../shards/arrays/bits.ts';
import { BAND_ENDS, BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { UNROUTED_CLASS } from './block-classes.ts';

/** A criterion of a basket: the nearest POI of a type is within some minutes by a mode. */
export interface Criterion {
  readonly mode: string;
  readonly type: number;
  /** A multiple of five, at most 30: what block bands can decide. */
  readonly minutes: number;
}

/** Number of colours of a map by criteria met; the last one stands for all smaller numbers. */
const MET_COLOURS = 6;

/** Outcomes of criteria by block: bit `j` is criterion `j`. */
export interface BasketBlocks {
  readonly criteria: number;
  readonly met: Uint8Array;
  /** Criteria whose mode has no street near the block. */
  readonly unknown: Uint8Array;
  /** The band of the furthest criterion: 1 to 6, 7 over 30 minutes, 0 not known. */
  readonly furthest: Uint8Array;
}

/** Tests criteria at all blocks. `bands[j]`: the bands of criterion `j`. */
export function basketOf(
  bands: readonly Uint8Array[],
  criteria: readonly Pick<Criterion, 'minutes'>[],
): BasketBlocks {
  const blocks = bands[0]?.length ?? 0;
  const [met, unknown, furthest] = [0, 0, 0].map(() => new Uint8Array(blocks));
  for (const [j, { minutes }] of criteria.entries()) {
    const last = BAND_ENDS.filter((end) => end <= minutes).length;
    for (let i = 0; i < blocks; i++) {
      const band = bands[j][i];
      if (band === UNROUTED) unknown[i] |= 1 << j;
      else if (band <= last) met[i] |= 1 << j;
      furthest[i] = Math.max(furthest[i], band);
    }
  }
  for (let i = 0; i < blocks; i++) {
    if (unknown[i] !== 0 && furthest[i] !== BEYOND) furthest[i] = UNROUTED;
  }
  return { criteria: criteria.length, met, unknown, furthest };
}

export function furthestClasses({ furthest }: BasketBlocks): Uint8Array {
  return furthest.map((band) => {
    if (band === UNROUTED) return UNROUTED_CLASS;
    return band === BEYOND ? 0 : band;
  });
}

/** Classes of blocks by the number of criteria met: 1 for all of them, 2 for all but one … */
export function metClasses(basket: BasketBlocks): Uint8Array {
  return basket.met.map((_, i) => {
    const count = criteriaMet(basket, i);
    return count === null ? UNROUTED_CLASS : metClass(basket.criteria, count);
  });
}

/** The class of blocks that meet `met` criteria; 0 if they meet none. */
export function metClass(criteria: number, met: number): number {
  return met === 0 ? 0 : Math.min(MET_COLOURS, criteria - met + 1);
}

export interface BasketTally {
  readonly allPeople: number;
  /** People by the number of criteria met, from none to all. */
  readonly met: readonly number[];
  /** For each criterion, the people who lack it. */
  readonly missing: readonly number[];
  /** People by the band of the furthest criterion, as in `BasketBlocks`. */
  readonly furthest: readonly number[];
  /** People of blocks where no criterion fails and at least one is not known. */
  readonly notKnown: number;
}

/** Counts the people of some blocks; an unknown population counts as 0. */
export function basketTally(
  basket: BasketBlocks,
  population: readonly (number | null)[],
  blocks: readonly number[],
): BasketTally {
  const { criteria, met, unknown, furthest } = basket;
  const byMet = new Array<number>(criteria + 1).fill(0);
  const missing = new Array<number>(criteria).fill(0);
  const byFurthest = new Array<number>(BEYOND + 1).fill(0);
  let [allPeople, notKnown] = [0, 0];
  for (const i of blocks) {
    const here = population[i] ?? 0;
    allPeople += here;
    byFurthest[furthest[i]] += here;
    const count = criteriaMet(basket, i);
    if (count === null) notKnown += here;
    else byMet[count] += here;
    for (let j = 0; j < criteria; j++) {
      if ((((met[i] | unknown[i]) >> j) & 1) === 0) missing[j] += here;
    }
  }
  return { allPeople, met: byMet, missing, furthest: byFurthest, notKnown };
}

/** Whether no criterion fails and at least one is not known. */
function isNotKnown(criteria: number, met: number, unknown: number): boolean {
  return unknown !== 0 && (met | unknown) === (1 << criteria) - 1;
}

/** The number of criteria that a block meets; null if none fails and at least one is not known. */
export function criteriaMet({ criteria, met, unknown }: BasketBlocks, i: number): number | null {
  return isNotKnown(criteria, met[i], unknown[i]) ? null : bitCount(met[i]);
}
