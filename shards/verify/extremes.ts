/** Smallest of some numbers; infinity if there are none. */
export function least(values: Int32Array): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** Largest of some numbers. */
export function most(values: Int32Array): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
