import { setTimeout as pause } from 'node:timers/promises';
import { BuildError } from '../../builder/errors.ts';
import type { LocalInput } from '../../builder/plan/planned-input.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import { putInput } from '../../builder/plan/shared-inputs.ts';
import type { Progress } from '../../builder/progress.ts';
import type { Executor } from '../../builder/tasks/executor.ts';
import { type TaskResult, taskResultSchema } from '../../builder/tasks/run-task.ts';
import { nameOf, type Task, type TaskNode } from '../../builder/tasks/task.ts';
import { SHARED } from '../../shards/concurrency/fair-queue.ts';
import { FairSemaphore } from '../../shards/concurrency/fair-semaphore.ts';
import { keepUntilFailed } from '../../shards/concurrency/on-demand.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { BuildQueue, type BuildQueueJob, MAX_LOST, refusalIn } from './queue.ts';
import { ATTEMPTS } from './retries.ts';

const POLL_MS: Millis = 500;
/** Time between two reports of a job in progress. */
const REPORT_MS: Millis = 10_000;
/** Bound of the jobs in the queue at once; more than workers could run. */
const QUEUED_TASKS = 1_000;
/** Bound of the memory of uploads, each of which sends some parts of an object at once. */
const UPLOADS = 4;
/** Seconds that finished jobs are kept for inspection. */
const KEEP_S = 7 * 86_400;
/** Time to take jobs off a queue that may be away. */
const CLOSE_MS: Millis = 3_000;

/**
 * Opens an executor that runs tasks on other machines, by the queue of a store of which this is the
 * only producer; what earlier commands have left finished there is removed. It asks for the state
 * of each task again and again, since a task's id is that of its job: adding it again changes
 * nothing, and what the queue does not know is added, whether it is new, or lost with the memory of
 * Redis, or left by a command that was killed. Events of the queue would be lost with it. Throws a
 * `UsageError` if the queue is unreachable.
 */
export async function openQueueExecutor(
  address: string,
  store: WritableStore,
  { note }: Progress,
): Promise<Executor> {
  const queue = await BuildQueue.open(address, store, { note, isCommand: true });
  const { jobs } = queue;
  for (const state of ['completed', 'failed'] as const) await jobs.clean(0, 0, state);
  /** Uploads of inputs by their contents, which many tasks read. */
  const uploads = new Map<string, Promise<void>>();
  const uploading = new FairSemaphore({ maxConcurrent: UPLOADS });
  const results = new Map<string, Promise<TaskResult>>();
  const following = new FairSemaphore({ maxConcurrent: QUEUED_TASKS });
  const noted = new Set<string>();
  let countedMs = Date.now();
  let isClosed = false;
  return {
    run: (node) =>
      keepUntilFailed(results, node.id, async () => {
        for (const input of node.inputs) await upload(input);
        return following.run(SHARED, () => follow(node));
      }),
    /** Takes jobs that no worker has begun off the queue. */
    async close() {
      if (isClosed) return;
      isClosed = true;
      const late = pause(CLOSE_MS, undefined, { ref: false });
      await Promise.race([Promise.allSettled(results.values()), late]);
      await queue.close();
    },
  };

  function upload(local: LocalInput): Promise<void> {
    return keepUntilFailed(uploads, local.input.sha256, () =>
      uploading.run(SHARED, () => putInput(store, local)),
    );
  }

  /** Adds a task whenever the queue lacks it, until it is done. */
  async function follow(node: TaskNode): Promise<TaskResult> {
    const name = nameOf(node.task);
    let losses = -1;
    let reportedMs = Date.now();
    for (; !isClosed; await pause(POLL_MS)) {
      try {
        const state = await jobs.getJobState(node.id);
        if (state === 'unknown') await add(node, ++losses);
        await requireWorkers();
        if (state === 'unknown' || state === 'waiting') continue;
        const job = await jobs.getJob(node.id);
        // It has been lost since its state was read.
        if (!job) continue;
        // A job that was tried again has a reason for that, too.
        if (state === 'completed') return taskResultSchema.parse(job.returnvalue);
        if (state === 'failed') throw new BuildError(failureOf(node.task, job));
        if (state === 'delayed') {
          noteOnce(`${name}: ${job.failedReason || job.progress}; it will be tried again`);
        } else if (node.task.kind !== 'table') {
          // An export has more tables than anyone could read about.
          noteOnce(`${job.processedBy}: ${name}`);
          if (!job.progress || !isDue(reportedMs)) continue;
          reportedMs = Date.now();
          note(`${name}: ${job.progress}`);
        }
      } catch (error) {
        noteOnce(refusalIn(error));
      }
    }
    await jobs.remove(node.id);
    throw new Error('the tasks were broken off');
  }

  async function add({ id, task, memory }: TaskNode, losses: number): Promise<void> {
    if (losses > 0) noteOnce(`the queue has lost jobs (${losses} ×); they are added again`);
    const data = { program: programVersion(), task, memory };
    await jobs.add(task.kind, data, {
      jobId: id,
      attempts: ATTEMPTS,
      // Computed by the worker's `pauseAfterMs`.
      backoff: { type: 'custom' },
      removeOnComplete: { age: KEEP_S },
      removeOnFail: { age: KEEP_S },
    });
  }

  async function requireWorkers(): Promise<void> {
    if (!isDue(countedMs)) return;
    countedMs = Date.now();
    if ((await jobs.getWorkersCount()) > 0) return;
    noteOnce(`no worker is connected; start some: tta worker --queue … --store ${store.location}`);
  }

  function noteOnce(line: string): void {
    if (!noted.has(line)) note(line);
    noted.add(line);
  }
}

function isDue(lastMs: Millis): boolean {
  return Date.now() - lastMs > REPORT_MS;
}

function failureOf(task: Task, { stalledCounter, progress, failedReason }: BuildQueueJob): string {
  const name = nameOf(task);
  if (stalledCounter < MAX_LOST)
    return task.kind === 'table' ? `${name}: ${failedReason}` : failedReason;
  const last = progress ? `, the last time during ${progress}` : '';
  return `${name}: its worker was killed or cut off ${MAX_LOST} times${last}, probably because memory ran out; give workers more memory, or use smaller units (--unit-blocks of the build)`;
}
