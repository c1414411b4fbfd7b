import type { Tenths } from '../../../shards/units.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';

/**
 * Groups of fewer people have no shares unless asked for: the noise of the 2020 census is a large
 * part of so few.
 */
export const SMALL_GROUP = 100;

/** The least sum of a weight of which an average is stated: any of people, enough of others. */
export function leastAveraged(weight: string, hasSmall: boolean): number {
  return hasSmall || weight === PEOPLE.weight ? 0 : SMALL_GROUP;
}

/** A measure by minutes: `"5"`, `"10"`, …; null where the measure is not defined. */
type ByMinutes = Readonly<Record<string, number | null>>;

/** Sums of a group: within each number of minutes, and over all blocks whose time is known. */
export interface GroupSums {
  readonly within: Readonly<Record<string, number>>;
  /** Sum over the blocks within or beyond the largest number of minutes, without `no_data`. */
  readonly known: number;
}

/**
 * Returns the shares of a group within each number of minutes, among those whose time is known, to
 * four decimals.
 */
export function sharesOf({ within, known }: GroupSums): ByMinutes {
  return mapped(within, (sum) => rounded(known === 0 ? null : sum / known));
}

/** Returns the shares of a group, each divided by the share of another group, to four decimals. */
export function ratiosOf(group: GroupSums, to: GroupSums): ByMinutes {
  return mapped(group.within, (sum, minutes) => {
    const share = to.within[minutes] / to.known;
    return rounded(group.known === 0 || !(share > 0) ? null : sum / group.known / share);
  });
}

/**
 * Returns the Gini coefficient of the minutes of a group, to four decimals: twice the area between
 * its Lorenz curve and the diagonal. The curve accumulates the minutes of people in ascending order
 * of minutes (Lorenz, 1905; for access by transit, Delbosc and Currie, 2011). The coefficient
 * ranges from 0, where all people take equally long, towards 1. People beyond the longest time of
 * `byTime` count as if they took that time, which makes the coefficient a lower bound. Null if
 * there are no people, or if all of them take no time.
 *
 * `byTime`: people by tenths of a minute; `beyond`: people beyond its longest time.
 */
export function giniOf(byTime: Float64Array, beyond: number): number | null {
  const last: Tenths = byTime.length - 1;
  let people = beyond;
  for (const count of byTime) people += count;
  let before = 0;
  let total = 0;
  let spread = 0;
  for (let time: Tenths = 0; time <= last; time++) {
    const count = time < last ? byTime[time] : byTime[time] + beyond;
    total += count * time;
    // Sum of (2 i − n − 1) times the i-th of n values in ascending order.
    spread += count * time * (2 * before + count - people);
    before += count;
  }
  return rounded(total === 0 ? null : spread / (people * total));
}

function mapped(
  sums: Readonly<Record<string, number>>,
  measure: (sum: number, minutes: string) => number | null,
): ByMinutes {
  return Object.fromEntries(
    Object.entries(sums).map(([minutes, sum]) => [minutes, measure(sum, minutes)]),
  );
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1e4) / 1e4;
}
