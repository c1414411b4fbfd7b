import type { Bytes } from '../units.ts';
import type { AccessCount } from './access-columns.ts';

/**
 * Names the classes of what is within reach of a county's blocks, for maps: a file of columns
 * (`bands/column-layout.ts`), one per count, with the blocks of the county's block bands, in their
 * order. A class is 0 for a block that the mode could not be routed from, and else 1 plus the
 * number of bounds that the count reaches. This module has no dependency on Node.
 */
export const ACCESS_CLASSES_MAGIC = 'TTAACCS1';

/** A count with the bounds of its classes. */
export interface ClassedCount extends AccessCount {
  /** Ascending, at most five, and the same in every county of a release. */
  readonly bounds: readonly number[];
}

export interface AccessClassesHead {
  readonly county: string;
  readonly blocks: number;
  readonly counts: readonly ClassedCount[];
  readonly column_bytes: readonly Bytes[];
}
