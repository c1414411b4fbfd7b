import type { Millis, StopOrdinal } from '../../shards/units.ts';

/**
 * Ways from stop to stop between two rides. Those from stop `s` are `first[s]` to `first[s + 1]`,
 * exclusive; two numbers each: the other stop, and the milliseconds to it. Changing at one and the
 * same stop is a way too.
 */
export interface Footpaths {
  readonly first: Int32Array;
  readonly ways: Int32Array;
}

/** What a feed says of changing between two of its stops. */
export interface TransferRule {
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  readonly forbidden: boolean;
  readonly minimum: Millis;
}

/** A walk between two different stops. */
export interface StopWalk {
  readonly from: StopOrdinal;
  readonly to: StopOrdinal;
  readonly time: Millis;
}

/** Puts together walks on the streets and what the feeds rule. Nearer stops come first. */
export function buildFootpaths(
  stopCount: number,
  walks: readonly StopWalk[],
  rules: readonly TransferRule[],
): Footpaths {
  const ways = Array.from({ length: stopCount }, (_, stop) => new Map<number, Millis>([[stop, 0]]));
  for (const { from, to, time } of walks) {
    if (time < (ways[from].get(to) ?? Number.POSITIVE_INFINITY)) ways[from].set(to, time);
  }
  for (const { from, to, forbidden, minimum } of rules) {
    const walk = ways[from].get(to);
    if (forbidden) ways[from].delete(to);
    // A rule can slow a walk, not make one: nobody crosses a city in a minimum of no time.
    else if (walk !== undefined) ways[from].set(to, Math.max(walk, minimum));
  }
  const first = new Int32Array(stopCount + 1);
  ways.forEach((list, stop) => {
    first[stop + 1] = first[stop] + list.size;
  });
  const flat = new Int32Array(first[stopCount] * 2);
  let at = 0;
  for (const list of ways) {
    for (const [to, time] of [...list].sort(([a, s], [b, t]) => s - t || a - b)) {
      flat[at++] = to;
      flat[at++] = time;
    }
  }
  return { first, ways: flat };
}
