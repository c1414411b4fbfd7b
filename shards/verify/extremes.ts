/** The least of some numbers; infinity of none. */
export function least(values: Int32Array): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** The greatest of some numbers. */
export function most(values: Int32Array): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}
