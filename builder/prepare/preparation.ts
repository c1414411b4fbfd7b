import type { WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';

/** The context of a preparation. */
export interface Preparation {
  /** A key of the inputs of something, for this program version and, for files, their contents. */
  readonly keyOf: (madeOf: readonly unknown[]) => string;
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly progress: Progress;
}

/** The same for files that are read only within an area. */
export interface AreaPreparation extends Preparation {
  readonly paths: readonly string[];
  /** The maximum extent that any unit may need. */
  readonly area: BoundingBox;
}
