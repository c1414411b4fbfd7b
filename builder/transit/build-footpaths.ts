import type { Footpaths } from '../../shards/transit/footpaths.ts';
import type { Millis, StopOrdinal } from '../../shards/units.ts';

/**
 * A feed's rule for transfers between two of its stops: the default (`usual`); between vehicles
 * that wait for each other (`timed`), so that the walk is sufficient; a minimum time (`minimum`),
 * including the time for boarding; or none possible (`never`).
 */
export interface TransferRule {
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  readonly kind: 'usual' | 'timed' | 'minimum' | 'never';
  /** The minimum time of a rule of kind `minimum`; 0 for all other kinds. */
  readonly minimum: Millis;
}

/** A walk between two different stops. */
export interface StopWalk {
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  readonly time: Millis;
  /** The part of `time` that is assumed for the levels of stations. */
  readonly levels: Millis;
}

/**
 * The shortest times of all walks from one stop to another, with and without the time assumed for
 * levels.
 */
interface ShortestWalk {
  time: Millis;
  withoutLevels: Millis;
}

/**
 * Combines walks between stops with the feeds' rules, at most one rule per pair of stops. The
 * footpaths from a stop are sorted by time, ascending. `boardSlack`: time from reaching a stop to
 * the earliest departure that can be caught there, unless a feed specifies otherwise.
 */
export function buildFootpaths(
  stopCount: number,
  walks: Iterable<StopWalk>,
  rules: readonly TransferRule[],
  boardSlack: Millis,
): Footpaths {
  const nearby = Array.from(
    { length: stopCount },
    (_, stop) => new Map<StopOrdinal, ShortestWalk>([[stop, { time: 0, withoutLevels: 0 }]]),
  );
  for (const { from, to, time, levels } of walks) {
    const known = nearby[from].get(to);
    if (known) {
      known.time = Math.min(known.time, time);
      known.withoutLevels = Math.min(known.withoutLevels, time - levels);
    } else nearby[from].set(to, { time, withoutLevels: time - levels });
  }
  const ruleOf = new Map(rules.map((rule) => [rule.from * stopCount + rule.to, rule]));
  const ways = nearby.map((walksTo, from) =>
    [...walksTo]
      .flatMap(([to, walk]): [to: StopOrdinal, time: Millis][] => {
        const time = changeTime(walk, boardSlack, ruleOf.get(from * stopCount + to));
        return time === null ? [] : [[to, time]];
      })
      .sort(([a, s], [b, t]) => s - t || a - b),
  );
  const first = new Int32Array(stopCount + 1);
  ways.forEach((list, stop) => {
    first[stop + 1] = first[stop] + list.length;
  });
  return { first, ways: Int32Array.from(ways.flat(2)) };
}

/**
 * Returns the time from arrival to the earliest departure that can be caught after a walk; null if
 * there is none.
 */
function changeTime(walk: ShortestWalk, boardSlack: Millis, rule?: TransferRule): Millis | null {
  switch (rule?.kind) {
    case 'never':
      return null;
    case 'timed':
      return walk.time;
    case 'minimum':
      // A rule can slow a walk, not create one: a minimum of zero does not take riders across a
      // city. Times assumed for levels are dropped, since the author of a minimum knows the
      // station.
      return Math.max(walk.withoutLevels, rule.minimum);
    default:
      return walk.time + boardSlack;
  }
}

/** Returns the footpaths that others have too, none of them sooner than theirs. */
export function delayedFootpaths(footpaths: Footpaths, others: Footpaths): Footpaths {
  const first = new Int32Array(footpaths.first.length);
  const ways: number[] = [];
  for (let stop = 0; stop + 1 < first.length; stop++) {
    const least = new Map(waysFrom(others, stop));
    const own = waysFrom(footpaths, stop).flatMap(([to, time]): [StopOrdinal, Millis][] => {
      const other = least.get(to);
      return other === undefined ? [] : [[to, Math.max(time, other)]];
    });
    for (const way of own.sort(([a, s], [b, t]) => s - t || a - b)) ways.push(...way);
    first[stop + 1] = ways.length / 2;
  }
  return { first, ways: Int32Array.from(ways) };
}

function waysFrom(
  { first, ways }: Footpaths,
  stop: StopOrdinal,
): [to: StopOrdinal, time: Millis][] {
  return Array.from({ length: first[stop + 1] - first[stop] }, (_, i) => {
    const way = 2 * (first[stop] + i);
    return [ways[way], ways[way + 1]];
  });
}
