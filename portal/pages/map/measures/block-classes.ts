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
