/** How many of `count` things in order, the first of them, a condition holds of. */
export function countWhile(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of some ascending numbers are below `value`: where it stands, or would stand. */
export function rankIn(ascending: ArrayLike<number>, value: number): number {
  return countWhile(ascending.length, (at) => ascending[at] < value);
}

/** Where `value` stands among numbers that strictly ascend, or -1. */
export function ordinalIn(ascending: ArrayLike<number>, value: number): number {
  const rank = rankIn(ascending, value);
  return ascending[rank] === value ? rank : -1;
}

/** Where those of some ascending values stand that are among numbers that strictly ascend. */
export function ordinalsOf(
  ascending: ArrayLike<number>,
  values: readonly number[] | Float64Array,
): number[] {
  const ordinals: number[] = [];
  let at = values.length === 0 ? 0 : rankIn(ascending, values[0]);
  for (const value of values) {
    while (ascending[at] < value) at++;
    if (ascending[at] === value) ordinals.push(at);
  }
  return ordinals;
}
