import type { z } from 'zod';
import { accumulator, type StageProgress } from '../progress.ts';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { inThisThread } from './preparation-pool.ts';

/**
 * Returns the results of jobs, in the order of the jobs. The result of a job with a receipt is read
 * from it. All other jobs run, several at a time, and each leaves its receipt as soon as it is
 * done. After a failure no other job begins. `stage` advances by the `work` of all jobs.
 */
export async function prepareByJobs<T extends z.ZodType>(
  jobs: readonly PreparationJob[],
  schema: T,
  { store, receipts, progress, pool }: PreparationByJobs,
  stage: StageProgress,
): Promise<z.infer<T>[]> {
  const onWork = accumulator(stage);
  const values = new Map<PreparationJob, z.infer<T>>();
  for (const job of jobs) {
    const kept = await receipts.find(job.spec.kind, job.key, schema);
    if (kept === null) continue;
    values.set(job, kept);
    onWork(job.work);
  }
  const missing = jobs.filter((job) => !values.has(job));
  // Other threads would take longer to start than a single job gains by them.
  const runner = missing.length > 1 ? pool : inThisThread(store);
  const left = eachOf(missing);
  const runInTurn = async () => {
    for (const job of left) {
      let before = 0;
      const { value, notes, isKept } = await runner.run(job, (amount) => {
        before += amount;
        onWork(amount);
      });
      onWork(job.work - before);
      for (const note of notes) progress.note(`${job.paths.join(', ')}: ${note}`);
      if (!isKept) await receipts.keep(job.spec.kind, job.key, value);
      values.set(job, schema.parse(value));
    }
  };
  const turns = Array.from({ length: Math.min(runner.width, missing.length) }, runInTurn);
  await Promise.all(turns);
  return jobs.map((job) => values.get(job)!);
}

/**
 * Returns an iterator that several loops share: each item goes to one loop, and a loop that fails
 * ends all loops.
 */
function* eachOf<Item>(items: readonly Item[]): Generator<Item> {
  yield* items;
}
