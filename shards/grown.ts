type Growable = Uint8Array | Int32Array | Float64Array;

/**
 * A copy of an array with room for `wanted` values: at least twice as much, so that growing is
 * rare.
 */
export function grown<T extends Growable>(array: T, wanted = 0): T {
  const make = array.constructor as new (length: number) => T;
  const larger = new make(Math.max(wanted, 2 * array.length));
  larger.set(array);
  return larger;
}
