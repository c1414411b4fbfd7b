import type { z } from 'zod';
import { accumulator, type StageProgress } from '../progress.ts';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';

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
