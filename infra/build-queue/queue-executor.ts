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
 * Runs tasks on other machines, by a queue of which this is the only producer. It asks for the
 * state of each task again and again, since a task's id is that of its job: adding it again changes
 * nothing, and what the queue does not know is added, whether it is new, or lost with the memory of
 * Redis, or left by a command that was killed. Events of the queue would be lost with it.
 */
export class QueueExecutor implements Executor {
  readonly #queue: BuildQueue;
  readonly #store: WritableStore;
  readonly #note: Progress['note'];
  /** Uploads of inputs by their contents, which many tasks read. */
  readonly #uploads = new Map<string, Promise<void>>();
  readonly #uploading = new FairSemaphore({ maxConcurrent: UPLOADS });
  readonly #results = new Map<string, Promise<TaskResult>>();
  readonly #following = new FairSemaphore({ maxConcurrent: QUEUED_TASKS });
  readonly #noted = new Set<string>();
  #countedMs = Date.now();
  #isClosed = false;

  private constructor(queue: BuildQueue, store: WritableStore, { note }: Progress) {
    this.#queue = queue;
    this.#store = store;
    this.#note = note;
  }

  /**
   * Opens the queue of a store, and removes what earlier commands have left finished there. Throws
   * a `UsageError` if the queue is unreachable.
   */
  static async open(
    address: string,
    store: WritableStore,
    progress: Progress,
  ): Promise<QueueExecutor> {
    const { note } = progress;
    const queue = await BuildQueue.open(address, store, { note, isCommand: true });
    for (const state of ['completed', 'failed'] as const) await queue.jobs.clean(0, 0, state);
    return new QueueExecutor(queue, store, progress);
  }

  run(node: TaskNode): Promise<TaskResult> {
    return keepUntilFailed(this.#results, node.id, async () => {
      for (const input of node.inputs) await this.#upload(input);
      return this.#following.run(SHARED, () => this.#follow(node));
    });
  }

  /** Takes jobs that no worker has begun off the queue. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const late = pause(CLOSE_MS, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#results.values()), late]);
    await this.#queue.close();
  }

  #upload(local: LocalInput): Promise<void> {
    return keepUntilFailed(this.#uploads, local.input.sha256, () =>
      this.#uploading.run(SHARED, () => putInput(this.#store, local)),
    );
  }

  /** Adds a task whenever the queue lacks it, until it is done. */
  async #follow(node: TaskNode): Promise<TaskResult> {
    const { jobs } = this.#queue;
    const name = nameOf(node.task);
    let losses = -1;
    let reportedMs = Date.now();
    for (; !this.#isClosed; await pause(POLL_MS)) {
      try {
        const state = await jobs.getJobState(node.id);
        if (state === 'unknown') await this.#add(node, ++losses);
        await this.#requireWorkers();
        if (state === 'unknown' || state === 'waiting') continue;
        const job = await jobs.getJob(node.id);
        // It has been lost since its state was read.
        if (!job) continue;
        // A job that was tried again has a reason for that, too.
        if (state === 'completed') return taskResultSchema.parse(job.returnvalue);
        if (state === 'failed') throw new BuildError(failureOf(node.task, job));
        if (state === 'delayed') {
          this.#noteOnce(`${name}: ${job.failedReason || job.progress}; it will be tried again`);
        } else if (node.task.kind !== 'table') {
          // An export has more tables than anyone could read about.
          this.#noteOnce(`${job.processedBy}: ${name}`);
          if (!job.progress || !isDue(reportedMs)) continue;
          reportedMs = Date.now();
          this.#note(`${name}: ${job.progress}`);
        }
      } catch (error) {
        this.#noteOnce(refusalIn(error));
      }
    }
    await jobs.remove(node.id);
    throw new Error('the tasks were broken off');
  }

  async #add({ id, task, memory }: TaskNode, losses: number): Promise<void> {
    if (losses > 0) this.#noteOnce(`the queue has lost jobs (${losses} ×); they are added again`);
    const data = { program: programVersion(), task, memory };
    await this.#queue.jobs.add(task.kind, data, {
      jobId: id,
      attempts: ATTEMPTS,
      // Computed by the worker's `pauseAfterMs`.
      backoff: { type: 'custom' },
      removeOnComplete: { age: KEEP_S },
      removeOnFail: { age: KEEP_S },
    });
  }

  async #requireWorkers(): Promise<void> {
    if (!isDue(this.#countedMs)) return;
    this.#countedMs = Date.now();
    if ((await this.#queue.jobs.getWorkersCount()) > 0) return;
    this.#noteOnce(
      `no worker is connected; start some: tta worker --queue … --store ${this.#store.location}`,
    );
  }

  #noteOnce(line: string): void {
    if (!this.#noted.has(line)) this.#note(line);
    this.#noted.add(line);
  }
}

function isDue(lastMs: Millis): boolean {
  return Date.now() - lastMs > REPORT_MS;
}

/** Explains for people why a job failed. */
function failureOf(task: Task, { stalledCounter, progress, failedReason }: BuildQueueJob): string {
  const name = nameOf(task);
  if (stalledCounter < MAX_LOST)
    return task.kind === 'table' ? `${name}: ${failedReason}` : failedReason;
  const last = progress ? `, the last time during ${progress}` : '';
  return `${name}: its worker was killed or cut off ${MAX_LOST} times${last}, probably because memory ran out; give workers more memory, or use smaller units (--unit-blocks of the build)`;
}
