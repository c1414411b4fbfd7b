/** Length of the prefix of `count` ordered items for which a condition holds. */
export function countWhile(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of values below `value` in an ascending list: its position, or its insertion point. */
export function rankIn(ascending: ArrayLike<number>, value: number): number {
  return countWhile(ascending.length, (at) => ascending[at] < value);
}

/** Position of `value` in a strictly ascending list, or -1. */
export function ordinalIn(ascending: ArrayLike<number>, value: number): number {
  const rank = rankIn(ascending, value);
  return ascending[rank] === value ? rank : -1;
}

/** Positions of ascending values in a strictly ascending list; values that it lacks are skipped. */
export function ordinalsOf(
  ascending: ArrayLike<number>,
  values: readonly number[] | Float64Array,
): Uint32Array {
  const ordinals = new Uint32Array(values.length);
  let found = 0;
  let at = values.length === 0 ? 0 : rankIn(ascending, values[0]);
  for (const value of values) {
    while (ascending[at] < value) at++;
    if (ascending[at] === value) ordinals[found++] = at;
  }
  return ordinals.subarray(0, found);
}
