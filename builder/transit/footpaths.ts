import type { Millis, StopOrdinal } from '../../shards/units.ts';

/**
 * Ways from stop to stop between two rides. Those from stop `s` are `first[s]` to `first[s + 1]`,
 * exclusive; two numbers each: the other stop, and the milliseconds from arriving to the earliest
 * departure one catches there. Changing at one and the same stop is a way too.
 */
export interface Footpaths {
  readonly first: Int32Array;
  readonly ways: Int32Array;
}

/**
 * What a feed says of changing between two of its stops: as everywhere (`usual`); by vehicles that
 * wait for each other (`timed`), so that the walk is enough; in so much time at least (`minimum`), what one needs for boarding
 * included; not at all (`never`).
 */
export interface TransferRule {
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  readonly kind: 'usual' | 'timed' | 'minimum' | 'never';
  /** Of a `minimum`; else 0. */
  readonly minimum: Millis;
}

/** A walk between two different stops. */
export interface StopWalk {
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  readonly time: Millis;
  /** How much of it is assumed for levels of stations. */
  readonly levels: Millis;
}

/** The shortest of the walks from a stop to another: with what is assumed for levels, and without. */
interface ShortestWalk {
  time: Millis;
  withoutLevels: Millis;
}

/**
 * Puts together walks on the streets and what the feeds rule, at most one rule a pair of stops.
 * Ways of less time come first. `boardSlack`: from being at a stop to the earliest departure one
 * catches there, where no feed says otherwise.
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

/** From arriving to the earliest departure one catches after a walk; null for never. */
function changeTime(walk: ShortestWalk, boardSlack: Millis, rule?: TransferRule): Millis | null {
  switch (rule?.kind) {
    case 'never':
      return null;
    case 'timed':
      return walk.time;
    case 'minimum':
      // A rule can slow a walk, not make one: nobody crosses a city in a minimum of no time. What
      // is assumed for levels gives way: who sets a minimum knows the station.
      return Math.max(walk.withoutLevels, rule.minimum);
    default:
      return walk.time + boardSlack;
  }
}
