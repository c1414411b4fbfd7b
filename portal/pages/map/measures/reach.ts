/** The blocks of a reach or a catchment: GEOIDs as numbers, ascending, and the minutes of each. */
export interface Reach {
  readonly geoids: Float64Array;
  /** Minutes to each block: whole in a reach, with tenths in a catchment. */
  readonly minutes: ArrayLike<number>;
}

/** Width of a class in minutes, for a reach and for a catchment. */
export const CLASS_MINUTES = 10;
export const CATCHMENT_CLASS_MINUTES = 5;

export function reachOf(
  blocks: readonly { readonly geoid: string; readonly minutes: number }[],
): Reach {
  const sorted = blocks.toSorted((a, b) => (a.geoid < b.geoid ? -1 : 1));
  return {
    geoids: Float64Array.from(sorted, ({ geoid }) => Number(geoid)),
    minutes: Float64Array.from(sorted, ({ minutes }) => minutes),
  };
}

/** Classes of `classMinutes` each, starting at 1; 0 for blocks beyond `within`. */
export function reachClasses(
  minutes: ArrayLike<number>,
  within: number,
  classMinutes = CLASS_MINUTES,
): Uint8Array {
  return Uint8Array.from(minutes, (one) =>
    one > within ? 0 : Math.max(1, Math.ceil(one / classMinutes)),
  );
}

/** For each minute from 0 to `most`, the sum of the weights of the blocks within it. */
export function cumulative(
  minutes: ArrayLike<number>,
  weights: ArrayLike<number>,
  most: number,
): Float64Array {
  const sums = new Float64Array(most + 1);
  for (let i = 0; i < minutes.length; i++) {
    if (minutes[i] <= most) sums[Math.ceil(minutes[i])] += weights[i];
  }
  for (let minute = 1; minute <= most; minute++) sums[minute] += sums[minute - 1];
  return sums;
}

/** Minutes to a block; undefined if it is not reached. */
export function minutesTo({ geoids, minutes }: Reach, geoid: number): number | undefined {
  return minutes[geoids.indexOf(geoid)];
}

/** The least minutes to each block of any of some reaches. */
export function nearestReach(reaches: readonly Reach[]): Reach {
  const least = new Map<number, number>();
  for (const { geoids, minutes } of reaches) {
    geoids.forEach((geoid, i) => {
      least.set(geoid, Math.min(minutes[i], least.get(geoid) ?? Number.POSITIVE_INFINITY));
    });
  }
  const geoids = Float64Array.from(least.keys()).sort();
  return { geoids, minutes: geoids.map((geoid) => least.get(geoid)!) };
}

/** For each block of `all`, how many of some reaches have it within some minutes. */
export function reachesWithin(
  { geoids }: Reach,
  reaches: readonly Reach[],
  within: number,
): Uint16Array {
  const counts = new Map<number, number>();
  for (const one of reaches) {
    one.geoids.forEach((geoid, i) => {
      if (one.minutes[i] <= within) counts.set(geoid, (counts.get(geoid) ?? 0) + 1);
    });
  }
  return Uint16Array.from(geoids, (geoid) => counts.get(geoid) ?? 0);
}
