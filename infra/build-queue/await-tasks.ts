import { setTimeout as pause } from 'node:timers/promises';
import { BuildError } from '../../builder/errors.ts';
import type { Progress } from '../../builder/progress.ts';
import { nameOf, type TaskNode, tasksIn } from '../../builder/tasks/task.ts';
import type { Millis } from '../../shards/units.ts';
import type { BuildQueue, BuildQueueJob, JobProgress } from './queue.ts';

const POLL_MS: Millis = 500;
/** Time between two reports of all jobs in progress. */
const REPORT_MS: Millis = 10_000;
/** Tasks and retries examined at a time. */
const EXAMINED_TASKS = 1_000;
const EXAMINED_RETRIES = 20;

/**
 * Waits until queued tasks of one build, and those before them, are done; adds them again if the
 * queue has lost them. Reports progress, the work of each worker of a build, and each reason for a
 * retry once. Throws a `BuildError` with the reason as soon as a task has failed for good, or if
 * the build was cancelled.
 */
export async function awaitTasks(
  queue: BuildQueue,
  build: string,
  roots: readonly TaskNode[],
  progress: Progress,
): Promise<void> {
  const { jobs } = queue;
  const left = new Map(roots.flatMap(tasksIn).map((node) => [node.id, node]));
  const total = left.size;
  const stage = progress.start('jobs', total, 'jobs');
  const reportWorkers = workerReports(queue, build, progress.note);
  const reportRetries = retryReports(queue, build, progress.note);
  while (roots.some(({ id }) => left.has(id))) {
    const examined = [...left.values()].slice(0, EXAMINED_TASKS);
    const states = await Promise.all(examined.map(({ id }) => jobs.getJobState(id)));
    await queue.requireUncancelled(build);
    for (const [i, node] of examined.entries()) {
      if (states[i] === 'completed') left.delete(node.id);
      if (states[i] === 'failed') throw await failureOf(queue, node);
    }
    stage.at(total - left.size);
    const lost = examined.filter((node, i) => states[i] === 'unknown' && roots.includes(node));
    if (lost.length > 0) progress.note('the queue has lost the build; queuing it again');
    for (const root of lost) await queue.add(root);
    await reportWorkers();
    await reportRetries();
    await pause(POLL_MS);
  }
  stage.finish();
}

async function failureOf(queue: BuildQueue, { id, task }: TaskNode): Promise<BuildError> {
  const reason = await queue.failureOf(id);
  return new BuildError(task.kind === 'table' ? `${nameOf(task)}: ${reason}` : reason);
}

/** Returns a function that notes what workers do for a build: what is new, and all once a while. */
function workerReports({ jobs }: BuildQueue, build: string, note: Progress['note']) {
  const seen = new Set<string>();
  let reportedMs = Date.now();
  return async () => {
    const isDue = Date.now() - reportedMs > REPORT_MS;
    if (isDue) reportedMs = Date.now();
    for (const job of (await jobs.getJobs(['active'])) as (BuildQueueJob | undefined)[]) {
      // An export has more tables than anyone could read about.
      if (job?.data.build !== build || job.data.task.kind === 'table') continue;
      const isNew = !seen.has(`${job.id} ${job.processedBy}`);
      seen.add(`${job.id} ${job.processedBy}`);
      if (isNew || isDue) note(lineOf(job));
    }
  };
}

function lineOf(job: BuildQueueJob): string {
  const { processedBy, progress, attemptsMade, stalledCounter } = job;
  const { stage } = (progress || {}) as Partial<JobProgress>;
  const again = attemptsMade + stalledCounter > 0 ? ', retry' : '';
  return `${processedBy ?? 'a worker'}: ${nameOf(job.data.task)}${again}${stage ? `: ${stage}` : ''}`;
}

/** Returns a function that notes why tasks of a build are to be tried again, each reason once. */
function retryReports({ jobs }: BuildQueue, build: string, note: Progress['note']) {
  const noted = new Set<string>();
  return async () => {
    const delayed: (BuildQueueJob | undefined)[] = await jobs.getDelayed(0, EXAMINED_RETRIES - 1);
    for (const job of delayed) {
      if (job?.data.build !== build || !job.failedReason || noted.has(job.failedReason)) continue;
      noted.add(job.failedReason);
      note(`${nameOf(job.data.task)}: ${job.failedReason}; it will be tried again`);
    }
  };
}
