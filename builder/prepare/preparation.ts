import { z } from 'zod';
import { feedSchema } from '../../shards/release/manifest.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox, Bytes } from '../../shards/units.ts';
import { accumulator, type Progress, type StageProgress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { WHEELCHAIR_UNKNOWN } from '../routing-parameters.ts';

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

/** A job that reads a batch of cells from OpenStreetMap files, and divides it by cell. */
const osmJobSchema = z.strictObject({
  kind: z.literal('osm'),
  /** The edges of the batch, as in `CellRectangle`. */
  edges: z.tuple([z.int(), z.int(), z.int(), z.int()]).readonly(),
  /** The cells that the base map reads, ascending. */
  mapped: z.array(z.int()).readonly(),
});
export type OsmJobSpec = z.infer<typeof osmJobSchema>;

/** A job that reads the ground heights of cells from elevation files. */
const elevationJobSchema = z.strictObject({
  kind: z.literal('elevation'),
  cells: z.array(z.int()).readonly(),
});
export type ElevationJobSpec = z.infer<typeof elevationJobSchema>;

const feedJobSchema = z.strictObject({
  kind: z.literal('feed'),
  /** The `fingerprint` of the feed. */
  sha256: z.string(),
  day: z.string(),
  patterns: feedSchema.shape.weekday_patterns,
  best: z.int(),
  without: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  clock: z.strictObject({
    common: z.string(),
    opens: z.number(),
    length: z.number(),
    aheadOfUtc: z.number(),
    earliest: z.number(),
    latest: z.number(),
  }),
  /** Present if the service for riders without steps is wanted too. */
  wheelchair_unknown: z.enum(WHEELCHAIR_UNKNOWN).optional(),
});
export type FeedJobSpec = z.infer<typeof feedJobSchema>;

/**
 * The definition of a preparation job, which depends on no other job and no machine. Its results go
 * to the store, so it can run in any thread and on any machine.
 */
export const jobSpecSchema = z.discriminatedUnion('kind', [
  osmJobSchema,
  elevationJobSchema,
  feedJobSchema,
]);
export type JobSpec = z.infer<typeof jobSpecSchema>;

/** A preparation job on files of this machine. */
export interface PreparationJob {
  readonly spec: JobSpec;
  readonly paths: readonly string[];
  /** An estimate of the memory that the job takes. */
  readonly memory: Bytes;
  /** The amount of work, for progress: the bytes or cells to be read, or one feed. */
  readonly work: number;
}

/**
 * Returns the results of jobs, in the order of the jobs, which run several at a time. `stage`
 * advances by the `work` of all jobs.
 */
export function prepareByJobs<T extends z.ZodType>(
  jobs: readonly PreparationJob[],
  schema: T,
  { progress, run }: PreparationByJobs,
  stage: StageProgress,
): Promise<z.infer<T>[]> {
  const onWork = accumulator(stage);
  const runOne = async (job: PreparationJob) => {
    let before = 0;
    const at = (done: number) => {
      onWork(done - before);
      before = done;
    };
    const { value, notes } = await run(job, at);
    at(job.work);
    for (const note of notes) progress.note(`${job.paths.join(', ')}: ${note}`);
    return schema.parse(value);
  };
  return Promise.all(jobs.map(runOne));
}
