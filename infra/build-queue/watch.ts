import { setTimeout as pause } from 'node:timers/promises';
import { BuildError } from '../../builder/errors.ts';
import type { Progress } from '../../builder/progress.ts';
import type { Millis } from '../../shards/units.ts';
import type { BuildQueue, BuildQueueJob, JobProgress } from './queue.ts';

const POLL_MS: Millis = 500;
/** Time between two reports of all jobs in progress. */
const REPORT_MS: Millis = 10_000;

/** Whether the build finished, or the queue has lost it. */
type Watched = 'done' | 'lost';

/**
 * Follows a build to its end, reporting progress and the work of each worker. Throws a `BuildError`
 * with the reason if it failed or was cancelled.
 */
export async function watchBuild(
  queue: BuildQueue,
  { build, root, units }: { build: string; root: string; units: number },
  progress: Progress,
): Promise<Watched> {
  const { jobs } = queue;
  // Join and publication add two.
  const stage = progress.start('jobs', units + 2, 'jobs');
  const flow = root.slice(0, -'publish'.length);
  const seen = new Set<string>();
  const isOwn = (job: BuildQueueJob) => job.data.build === build && job.id!.startsWith(flow);
  const noteRetries = retryNotes(queue, progress.note, (job) => (isOwn(job) ? nameOf(job) : null));
  let reportedMs = Date.now();
  for (;;) {
    const job = await jobs.getJob(root);
    await queue.requireUncancelled(build);
    if (!job) return 'lost';
    const state = await job.getState();
    stage.at(await endedOf(jobs, flow, units));
    const found: (BuildQueueJob | undefined)[] = await jobs.getJobs(['active']);
    const active = found.filter((job) => job !== undefined).filter(isOwn);
    const isDue = Date.now() - reportedMs > REPORT_MS;
    if (isDue) reportedMs = Date.now();
    for (const one of active) {
      const isNew = !seen.has(`${one.id} ${one.processedBy}`);
      seen.add(`${one.id} ${one.processedBy}`);
      if (isNew || isDue) progress.note(lineOf(one));
    }
    await noteRetries();
    if (state === 'completed') {
      stage.finish();
      return 'done';
    }
    if (state === 'failed') throw new BuildError(await queue.failureOf(root));
    await pause(POLL_MS);
  }
}

/**
 * Number of finished jobs of a flow, determined without reading other jobs that finished in the
 * last days.
 */
async function endedOf(jobs: BuildQueue['jobs'], flow: string, units: number): Promise<number> {
  const join = await jobs.getJob(`${flow}join`);
  if (!join) return 0;
  if (await join.isCompleted()) return units + 1;
  return (await join.getDependenciesCount()).processed ?? 0;
}

function nameOf({ name, data }: BuildQueueJob): string {
  const unit = 'job' in data && data.job.kind === 'unit' ? data.job : null;
  return unit ? `unit of ${unit.counties.join(', ')}` : name;
}

function lineOf(job: BuildQueueJob): string {
  const { processedBy, progress, attemptsMade, stalledCounter } = job;
  const { stage } = (progress || {}) as Partial<JobProgress>;
  const again = attemptsMade + stalledCounter > 0 ? ', retry' : '';
  return `${processedBy ?? 'a worker'}: ${nameOf(job)}${again}${stage ? `: ${stage}` : ''}`;
}

/** Retries examined at a time. */
const MAX_RETRIES = 20;

/**
 * Returns a function that notes why jobs are to be tried again, each reason once. `nameOf` returns
 * the name of a job that is waited for; null for others.
 */
export function retryNotes(
  { jobs }: BuildQueue,
  note: (line: string) => void,
  nameOf: (job: BuildQueueJob) => string | null,
): () => Promise<void> {
  const noted = new Set<string>();
  return async () => {
    const delayed: (BuildQueueJob | undefined)[] = await jobs.getDelayed(0, MAX_RETRIES - 1);
    for (const job of delayed) {
      const name = job ? nameOf(job) : null;
      if (name === null || !job?.failedReason || noted.has(job.failedReason)) continue;
      noted.add(job.failedReason);
      note(`${name}: ${job.failedReason}; it will be tried again`);
    }
  };
}
