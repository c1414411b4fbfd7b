import type { WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { PreparationJob } from './preparation-job.ts';

export interface Preparation {
  /** Hashes the inputs of a result, the contents of files, and the program version. */
  readonly keyOf: (madeOf: readonly unknown[]) => string;
  readonly store: WritableStore;
  /** Records no result of files that were changed while they were read. */
  readonly receipts: Pick<Receipts, 'findOrMake'>;
  readonly progress: Progress;
}

/** The context of a preparation of files that are read only within an area. */
export interface AreaPreparation extends Preparation {
  readonly paths: readonly string[];
  /** The maximum extent that any unit may need. */
  readonly area: BoundingBox;
}

/** The context of a preparation that is divided into jobs. */
export interface PreparationByJobs extends Preparation {
  /**
   * Runs a job in any thread or on any machine, or finds its receipt. `at` receives how much of
   * the job's `work` is done, as far as that is known.
   */
  readonly run: (job: PreparationJob, at: (done: number) => void) => Promise<JobResult>;
}

export interface PreparationJobContext {
  readonly store: WritableStore;
  /** Receives lines worth keeping about the job's files, without their paths. */
  readonly note: (line: string) => void;
  /** Receives amounts of the job's `work` that are done. */
  readonly onWork: (amount: number) => void;
}

export interface JobResult {
  readonly value: unknown;
  /** Lines about the job's files, without their paths, which differ between machines. */
  readonly notes: readonly string[];
}
