import type { Tenths } from '../../../shards/units.ts';

/** A measure by minutes: `"5"`, `"10"`, …; null where it is not defined. */
export type ByMinutes = Readonly<Record<string, number | null>>;

/** Sums of a group, by minutes, and of all its blocks whose time is known. */
export interface GroupSums {
  readonly within: Readonly<Record<string, number>>;
  /** Within the most minutes or beyond, but not `no_data`. */
  readonly known: number;
}

/** The parts of a group within some minutes: of those whose time is known, to four decimals. */
export function sharesOf({ within, known }: GroupSums): ByMinutes {
  return mapped(within, (sum) => rounded(known === 0 ? null : sum / known));
}

/** The shares of a group, each divided by that of another, to four decimals. */
export function ratiosOf(group: GroupSums, to: GroupSums): ByMinutes {
  return mapped(group.within, (sum, minutes) => {
    const share = to.within[minutes] / to.known;
    return rounded(group.known === 0 || !(share > 0) ? null : sum / group.known / share);
  });
}

/**
 * The Gini coefficient of the minutes of a group: twice the area between its Lorenz curve and the
 * diagonal, where the curve is of the minutes of the first so many people, ordered by minutes
 * (Lorenz, 1905; for access by transit, Delbosc and Currie, 2011). From 0, where all take equally
 * long, towards 1. Those beyond the most minutes count as at them, which makes it a lower bound.
 * Null if there are none, or all take no time. To four decimals.
 *
 * `byTime`: people by tenths of a minute; `beyond`: those beyond them.
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
    // The sum of (2 i − n − 1) times the i-th of n values in ascending order.
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
