/**
 * Returns an array that behaves like the given one, and the positions at which it is read, in
 * order.
 */
export function withReads(array: Int32Array) {
  const positions: number[] = [];
  const counted = new Proxy(array, {
    get(all, name) {
      positions.push(Number(name));
      return Reflect.get(all, name);
    },
  });
  return { positions, counted };
}
