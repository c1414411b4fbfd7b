import { setTimeout as pause } from 'node:timers/promises';
import { BuildError } from '../../builder/errors.ts';
import type { LocalInput } from '../../builder/plan/planned-input.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import { putInput } from '../../builder/plan/shared-inputs.ts';
import type { Progress } from '../../builder/progress.ts';
import type { Executor } from '../../builder/tasks/executor.ts';
import { type TaskResult, taskResultSchema } from '../../builder/tasks/run-task.ts';
import { nameOf, type Task, type TaskNode } from '../../builder/tasks/task.ts';
import { MemoryLimit } from '../../builder/threads/memory-limit.ts';
import { keepUntilFailed } from '../../shards/concurrency/on-demand.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { BuildQueue, type BuildQueueJob, type JobProgress, MAX_LOST, refusalIn } from './queue.ts';
import { ATTEMPTS } from './retries.ts';

const POLL_MS: Millis = 500;
/** Time between two reports of all jobs in progress. */
const REPORT_MS: Millis = 10_000;
/** Maximum number of jobs in the queue at once; more than workers could run. */
const QUEUED_TASKS = 1_000;
/** Maximum number of jobs that are reported at a time. */
const REPORTED_TASKS = 200;
/** Memory of an upload: the parts of an object that are sent at once. */
const UPLOAD_BYTES: Bytes = 48 * 2 ** 20;
const UPLOADS_AT_ONCE = 4;
/** Seconds that finished jobs are kept for inspection. */
const KEEP_S = 7 * 86_400;
/** Time to take jobs off a queue that may be away. */
const CLOSE_MS: Millis = 3_000;

interface RunningTask {
  readonly node: TaskNode;
  readonly resolve: (result: TaskResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs tasks on other machines, by a queue of which this is the only producer. A task's id is that
 * of its job, so adding it again changes nothing, and what the queue does not know is added,
 * whether it is new, or lost with the memory of Redis, or left by a command that was killed.
 */
export class QueueExecutor implements Executor {
  readonly #queue: BuildQueue;
  readonly #store: WritableStore;
  readonly #note: Progress['note'];
  /** Uploads of inputs by their contents, which many tasks read. */
  readonly #uploads = new Map<string, Promise<void>>();
  readonly #uploading = new MemoryLimit(UPLOADS_AT_ONCE * UPLOAD_BYTES);
  readonly #results = new Map<string, Promise<TaskResult>>();
  readonly #running = new Map<string, RunningTask>();
  readonly #added = new Set<string>();
  readonly #noted = new Set<string>();
  #reportedMs = Date.now();
  #watching: Promise<void> | null = null;
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
      return new Promise<TaskResult>((resolve, reject) => {
        if (this.#isClosed) throw new Error('the tasks were broken off');
        this.#running.set(node.id, { node, resolve, reject });
        this.#watching ??= this.#watch();
      });
    });
  }

  /** Takes jobs that no worker has begun off the queue. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#watching;
    const removing = [...this.#added].map((id) => this.#queue.jobs.remove(id));
    await Promise.race([Promise.allSettled(removing), pause(CLOSE_MS)]);
    await this.#queue.close();
  }

  #upload(local: LocalInput): Promise<void> {
    return keepUntilFailed(this.#uploads, local.input.sha256, () =>
      this.#uploading.run(UPLOAD_BYTES, () => putInput(this.#store, local)),
    );
  }

  /**
   * Adds tasks that the queue lacks, and looks for those that are finished, until none is left. All
   * fail if the queue cannot be asked.
   */
  async #watch(): Promise<void> {
    try {
      while (this.#running.size > 0 && !this.#isClosed) {
        await this.#look().catch((error) => this.#noteOnce(refusalIn(error)));
        await pause(POLL_MS);
      }
    } catch (error) {
      for (const running of this.#running.values()) running.reject(error);
      this.#running.clear();
    }
    this.#watching = null;
  }

  async #look(): Promise<void> {
    const { jobs } = this.#queue;
    const looked = [...this.#running.values()].slice(0, QUEUED_TASKS);
    const states = await Promise.all(looked.map(({ node }) => jobs.getJobState(node.id)));
    await this.#add(looked.filter((_, i) => states[i] === 'unknown'));
    for (const [i, task] of looked.entries()) {
      if (states[i] === 'completed' || states[i] === 'failed') await this.#settle(task, states[i]);
    }
    await this.#report();
  }

  async #add(tasks: readonly RunningTask[]): Promise<void> {
    if (tasks.some(({ node }) => this.#added.has(node.id))) {
      this.#note('the queue has lost jobs; they are added again');
    }
    const added = tasks.map(({ node: { id, task, memory, turn } }) => ({
      name: task.kind,
      data: { program: programVersion(), task, memory },
      opts: {
        jobId: id,
        attempts: ATTEMPTS,
        // Computed by the worker's `pauseAfterMs`.
        backoff: { type: 'custom' },
        removeOnComplete: { age: KEEP_S },
        removeOnFail: { age: KEEP_S },
        priority: turn,
      },
    }));
    if (added.length > 0) await this.#queue.jobs.addBulk(added);
    for (const { node } of tasks) this.#added.add(node.id);
  }

  async #settle({ node: { id, task }, ...end }: RunningTask, state: string): Promise<void> {
    const job: BuildQueueJob | undefined = await this.#queue.jobs.getJob(id);
    // It has been lost since its state was read.
    if (!job) return;
    this.#running.delete(id);
    this.#added.delete(id);
    // A job that was tried again has a reason for that, too.
    if (state === 'completed') return end.resolve(taskResultSchema.parse(job.returnvalue));
    const of = task.kind === 'table' ? `${nameOf(task)}: ` : '';
    const reason = job.stalledCounter >= MAX_LOST ? lostWorkers(job, task) : job.failedReason;
    end.reject(new BuildError(`${of}${reason}`));
  }

  /** Notes which worker does what: what is new, and everything once a while. */
  async #report(): Promise<void> {
    const { jobs } = this.#queue;
    const isDue = Date.now() - this.#reportedMs > REPORT_MS;
    if (isDue) this.#reportedMs = Date.now();
    for (const { job, name, stage } of this.#own(await jobs.getDelayed(0, REPORTED_TASKS - 1))) {
      this.#noteOnce(`${name}: ${job.failedReason || stage}; it will be tried again`);
    }
    for (const { job, name, stage } of this.#own(await jobs.getActive(0, REPORTED_TASKS - 1))) {
      // An export has more tables than anyone could read about.
      if (job.name === 'table') continue;
      const line = `${job.processedBy ?? 'a worker'}: ${name}`;
      if (isDue) this.#note(stage === undefined ? line : `${line}: ${stage}`);
      else this.#noteOnce(line);
    }
    if (isDue && (await jobs.getWorkersCount()) === 0) {
      this.#noteOnce(
        `no worker is connected; start some: tta worker --queue … --store ${this.#store.location}`,
      );
    }
  }

  /** Returns the jobs of running tasks, with their names and stages for people. */
  #own(jobs: readonly (BuildQueueJob | undefined)[]) {
    return jobs.flatMap((job) => {
      // A job that has been removed meanwhile is undefined.
      const node = job && this.#running.get(job.id!)?.node;
      const { stage } = (job?.progress || {}) as Partial<JobProgress>;
      return node ? [{ job, name: nameOf(node.task), stage }] : [];
    });
  }

  #noteOnce(line: string): void {
    if (!this.#noted.has(line)) this.#note(line);
    this.#noted.add(line);
  }
}

/** Explains why a job failed that lost `MAX_LOST` workers. */
function lostWorkers({ progress }: BuildQueueJob, task: Task): string {
  const { worker, stage } = (progress || {}) as Partial<JobProgress>;
  const last = worker === undefined ? '' : `, the last time on ${worker} during ${stage}`;
  return `${nameOf(task)}: its worker was killed or cut off ${MAX_LOST} times${last}, probably because memory ran out; give workers more memory, or use smaller units (--unit-blocks of the build)`;
}
