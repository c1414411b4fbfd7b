/**
 * Classes of blocks: `classes[i]` is that of the block whose GEOID, as a number, is `geoids[i]`.
 * Classes start at 1; 0 is none.
 */
export interface BlockClasses {
  readonly geoids: Float64Array;
  readonly classes: Uint8Array;
}

/** Class of blocks without a street near, if the classes mark them. */
export const UNROUTED_CLASS = 255;

/**
 * Stands for the band of a block that a release lacks, and for minutes to one that is not reached,
 * which are longer than any.
 */
export const LACKING = 255;

/**
 * The values of a list of blocks, sorted ascending as `wanted`, in the order of another; `LACKING`
 * for those not in the list.
 */
export function alignedTo(
  wanted: Float64Array,
  geoids: Float64Array,
  values: ArrayLike<number>,
): Uint8Array {
  const aligned = new Uint8Array(wanted.length).fill(LACKING);
  let at = 0;
  for (let i = 0; i < wanted.length; i++) {
    while (at < geoids.length && geoids[at] < wanted[i]) at++;
    if (geoids[at] === wanted[i]) aligned[i] = values[at];
  }
  return aligned;
}
