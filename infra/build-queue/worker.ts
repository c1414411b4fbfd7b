import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { OutOfMemory } from '../../builder/errors.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { Progress } from '../../builder/progress.ts';
import type { TaskResult } from '../../builder/tasks/run-task.ts';
import { nameOf, type Task } from '../../builder/tasks/task.ts';
import { openTaskPool, type TaskPool } from '../../builder/tasks/task-pool.ts';
import { parseWith } from '../../shards/codec/json-object.ts';
import { megabytes } from '../../shards/number-words.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { makeOwnFolder, removeAbandonedFolders } from '../../shards/store/process-name.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { describe } from '../errors.ts';
import { BuildQueue, type BuildQueueJob, MAX_LOST, queuedTaskSchema } from './queue.ts';
import { isTransient, pauseAfterMs } from './retries.ts';

interface WorkerOptions {
  readonly queue: string;
  readonly store: string;
  /** Threads per job. */
  readonly workers: number;
  /** Memory per job. */
  readonly memory: Bytes;
  readonly progress: Progress;
}

/** A worker that runs queued jobs, one at a time. */
interface BuildWorker {
  readonly queue: BuildQueue;
  /** Stops the worker; its current job goes to another worker as if it had never started. */
  close(): Promise<void>;
}

const FOLDER = 'tta-worker-';
/** A worker silent for this long is considered dead, and another takes over its job. */
const SILENT_MS: Millis = 15_000;
const CHECK_SILENT_MS: Millis = 5_000;
/** Time without a job until the thread ends; longer than a command takes to add the next tasks. */
const IDLE_MS: Millis = 3_000;
/** Time until a task that is left to another worker may be taken again. */
const LEFT_MS: Millis = 1_000;
/**
 * Time that a worker which comes upon a task again waits beyond that: it would be the first to take
 * it, and one that can run it would never get it. Long enough for a worker on a busy machine, and
 * with `LEFT_MS` under a quarter of `SILENT_MS`, when the lock that the job had would be renewed.
 */
const YIELD_MS: Millis = 2_500;
const REPORT_MS: Millis = 1_000;

/**
 * Takes jobs from the queue and runs them in another thread, so that the main thread can keep
 * renewing the job's lock. Rejects with a `UsageError` if the queue is unreachable.
 */
export async function openWorker(options: WorkerOptions): Promise<BuildWorker> {
  // Closed in reverse order: by `close`, or immediately if a later step fails to open.
  const opened: (() => unknown)[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    const store = await openWritableStore(options.store);
    opened.push(() => store.close());
    await removeAbandonedFolders(tmpdir(), FOLDER);
    const folder = await makeOwnFolder(tmpdir(), FOLDER);
    opened.push(() => rm(folder, { recursive: true, force: true }));
    const queue = await BuildQueue.open(options.queue, store, options.progress);
    opened.push(() => queue.close());
    const tasks = new TaskRunner(options, folder);
    const worker = new Worker(queue.jobs.name, (job, token) => tasks.perform(job, token), {
      connection: queue.redis,
      name: tasks.name,
      lockDuration: SILENT_MS,
      stalledInterval: CHECK_SILENT_MS,
      maxStalledCount: MAX_LOST - 1,
      settings: { backoffStrategy: pauseAfterMs },
    });
    let lastError = '';
    worker.on('error', ({ message }) => {
      // An outage is an error again and again.
      if (message !== lastError) options.progress.note(`queue: ${message}`);
      lastError = message;
    });
    opened.push(async () => {
      await tasks.close();
      await worker.close();
    });
    await worker.waitUntilReady();
    return { queue, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs the tasks of jobs one after another in a thread. */
class TaskRunner {
  readonly name = `${hostname()}-${process.pid}`;
  readonly #options: WorkerOptions;
  readonly #folder: string;
  readonly #left = new Set<string>();
  /** Those left since it last waited for others to take them. */
  readonly #leftSince = new Set<string>();
  readonly #closing = new AbortController();
  #thread: TaskPool;

  constructor(options: WorkerOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#thread = this.#open();
  }

  async perform(job: BuildQueueJob, token?: string): Promise<TaskResult> {
    const { memory, progress } = this.#options;
    const { program } = job.data;
    if (program !== programVersion()) {
      const problem = `was queued by another version of the program, ${program}, than that of ${this.name}, ${programVersion()}`;
      return this.#leave(job, problem, token);
    }
    try {
      const queued = parseWith('data', job.data, queuedTaskSchema);
      if (queued.memory <= memory) return await this.#run(job, queued.task);
      throw new OutOfMemory(
        `needs ${megabytes(queued.memory)}, more than the ${megabytes(memory)} of ${this.name}: run a worker with more (--memory), or use smaller units (--unit-blocks of the build)`,
      );
    } catch (error) {
      if (this.#closing.signal.aborted) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const problem = describe(error);
      if (error instanceof OutOfMemory) {
        const needed = Math.max(job.data.memory, memory + 1);
        await job.updateData({ ...job.data, memory: needed });
        return this.#leave(job, problem, token);
      }
      progress.note(`job ${job.id} failed: ${problem}`);
      throw isTransient(error) ? new Error(problem) : new UnrecoverableError(problem);
    }
  }

  async #run(job: BuildQueueJob, task: Task): Promise<TaskResult> {
    this.#options.progress.note(`job ${nameOf(task)} (${job.id})`);
    try {
      return await this.#thread.run(task, [], this.#reporting(job));
    } catch (error) {
      // The next task must not find remains of a task that broke off.
      await this.#thread.close();
      if (!this.#closing.signal.aborted) this.#thread = this.#open();
      throw error;
    }
  }

  /** Ends the thread; a task in progress goes to another worker. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#thread.close();
  }

  /**
   * Opens a pool of one thread, which is kept for the next task, since loading and compiling the
   * program takes longer than a small task, and ended when no task comes, which frees its memory.
   */
  #open(): TaskPool {
    const { store, workers, memory } = this.#options;
    const scratch = path.join(this.#folder, 'scratch');
    const heap = Math.max(memory, getHeapStatistics().heap_size_limit);
    const thread = { store, workers, memory, scratch, folder: this.#folder };
    return openTaskPool(thread, 1, { heap, idleMs: IDLE_MS });
  }

  /** Leaves a job to a worker that can run it, which may come later. */
  async #leave(job: BuildQueueJob, problem: string, token?: string): Promise<never> {
    const id = job.id!;
    if (!this.#left.has(id)) this.#options.progress.note(`job ${id} is left: ${problem}`);
    this.#left.add(id);
    await job.updateProgress(problem);
    await job.moveToDelayed(Date.now() + LEFT_MS, token);
    // A worker waits once per round, however many jobs it leaves: it may have work behind them.
    if (this.#leftSince.has(id)) {
      this.#leftSince.clear();
      const { signal } = this.#closing;
      await pause(LEFT_MS + YIELD_MS, undefined, { signal }).catch(() => {});
    }
    this.#leftSince.add(id);
    throw new DelayedError();
  }

  /** Displays a task's progress, and forwards it to the queue at most once a second. */
  #reporting(job: BuildQueueJob): Progress {
    const { progress } = this.#options;
    let reportedMs = 0;
    const report = (stage: string) => {
      if (Date.now() - reportedMs < REPORT_MS) return;
      reportedMs = Date.now();
      // At worst a watcher misses a line.
      job.updateProgress(`${stage} on ${this.name}`).catch(() => {});
    };
    return {
      note: progress.note,
      start(name, total, unit) {
        const stage = progress.start(name, total, unit);
        report(name);
        return {
          finish: stage.finish,
          at(done) {
            stage.at(done);
            const percent = Math.floor((100 * done) / Math.max(1, total ?? 0));
            report(total === null ? name : `${name} ${percent} %`);
          },
        };
      },
    };
  }
}
