import type { Progress } from '../../../builder/progress.ts';
import type { WritableStore } from '../../../shards/store/store.ts';

/** The resources of the machine that a thread may use for jobs. */
export interface ThreadMeans {
  /** Folder of the worker, for inputs kept between jobs and for scratch files. */
  readonly folder: string;
  readonly workers: number;
  readonly memory: number;
}

/** The context of one job in a thread. */
export interface ThreadContext extends ThreadMeans {
  readonly store: WritableStore;
  readonly progress: Progress;
}
