import type { WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';

/** What something is prepared with. */
export interface Preparation {
  /** A key of what something is made of, by this program; of files, beside those. */
  readonly keyOf: (madeOf: readonly unknown[]) => string;
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly progress: Progress;
}

/** The same of files, of which what is in an area is read. */
export interface AreaPreparation extends Preparation {
  readonly paths: readonly string[];
  /** As far as anybody may need it. */
  readonly area: BoundingBox;
}
