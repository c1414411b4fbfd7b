import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { programVersion } from '../../builder/plan/program-version.ts';
import type { Progress } from '../../builder/progress.ts';
import { nameOf } from '../../builder/tasks/task.ts';
import { openTaskPool, type TaskPool } from '../../builder/tasks/task-pool.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { makeOwnFolder, removeAbandonedFolders } from '../../shards/store/process-name.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { describe } from '../errors.ts';
import {
  BuildQueue,
  type BuildQueueJob,
  type JobProgress,
  MAX_LOST,
  type QueuedTask,
  queuedTaskSchema,
} from './queue.ts';
import { isOutOfMemory, isTransient, pauseAfterMs } from './retries.ts';

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

/** Prefix of a worker's folder for inputs and scratch files. */
const FOLDER = 'tta-worker-';
/** A worker silent for this long is considered dead, and another takes over its job. */
const SILENT_MS: Millis = 15_000;
const CHECK_SILENT_MS: Millis = 5_000;
/** Time without a job until the thread ends; longer than a command takes to add the next tasks. */
const IDLE_MS: Millis = 3_000;
/** Time until a task that is left to another worker may be taken again. */
const LEFT_MS: Millis = 3_000;
const REPORT_MS: Millis = 1_000;
const GIB: Bytes = 2 ** 30;

/**
 * Takes jobs from the queue and runs them in another thread, so that the main thread can keep
 * renewing the job's lock. Rejects with a `UsageError` if the queue is unreachable.
 */
export async function openWorker(options: WorkerOptions): Promise<BuildWorker> {
  // Closed in reverse order: by `close`, or immediately if a later step fails to open.
  const opened: (() => unknown)[] = [];
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
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
    const worker = new Worker(queue.name, (job, token) => tasks.perform(job, token), {
      connection: queue.redis,
      name: tasks.name,
      lockDuration: SILENT_MS,
      stalledInterval: CHECK_SILENT_MS,
      maxStalledCount: MAX_LOST - 1,
      settings: { backoffStrategy: pauseAfterMs },
    });
    // The queue reports its outages.
    worker.on('error', () => {});
    worker.on('drained', () => tasks.rest());
    opened.push(async () => {
      await tasks.close();
      await worker.close();
    });
    await worker.waitUntilReady();
    return { queue, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/**
 * Runs the tasks of jobs one after another in a thread, which is kept for the next task, since
 * loading and compiling the program takes longer than a small task.
 */
class TaskRunner {
  readonly name = `${hostname()}-${process.pid}`;
  readonly #options: WorkerOptions;
  readonly #folder: string;
  readonly #left = new Set<string>();
  #thread: TaskPool | null = null;
  #resting: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(options: WorkerOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  async perform(job: BuildQueueJob, token?: string): Promise<unknown> {
    if (this.#isClosing) return giveBack(job, token);
    clearTimeout(this.#resting);
    const { memory, progress } = this.#options;
    const { program } = job.data;
    if (program !== programVersion()) {
      const problem = `was queued by another version of the program, ${program}, than that of ${this.name}, ${programVersion()}`;
      return this.#leave(job, problem, token);
    }
    const queued = this.#parsed(job);
    if (queued.memory > memory) {
      const problem = `needs ${inGib(queued.memory)}, and ${this.name} has ${inGib(memory)}: run a worker with more (--memory), or use smaller units (--unit-blocks of the build)`;
      return this.#leave(job, problem, token);
    }
    progress.note(`job ${nameOf(queued.task)} (${job.id})`);
    try {
      this.#thread ??= this.#start();
      return await this.#thread.run(queued.task, [], this.#reporting(job));
    } catch (error) {
      // The next task must not find remains of a task that broke off.
      await this.endThread();
      if (this.#isClosing) return giveBack(job, token);
      progress.note(`job ${nameOf(queued.task)} (${job.id}) failed: ${describe(error)}`);
      if (isOutOfMemory(error)) {
        await job.updateData({ ...queued, memory: memory + 1 });
        return this.#leave(job, describe(error), token);
      }
      const Failure = isTransient(error) ? Error : UnrecoverableError;
      throw new Failure(describe(error));
    }
  }

  /** Ends the thread, which frees its memory, unless another task comes soon. */
  rest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => void this.endThread(), IDLE_MS);
  }

  /** Ends the thread; a task in progress fails. */
  async endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.close();
  }

  close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#resting);
    return this.endThread();
  }

  #start(): TaskPool {
    const { store, workers, memory } = this.#options;
    const scratch = path.join(this.#folder, 'scratch');
    const heap = Math.max(memory, getHeapStatistics().heap_size_limit);
    return openTaskPool({ store, workers, memory, scratch, folder: this.#folder }, 1, heap);
  }

  /** Parses a job. Throws an `UnrecoverableError` for an invalid one, since no retry helps. */
  #parsed({ id, data }: BuildQueueJob): QueuedTask {
    const parsed = queuedTaskSchema.safeParse(data);
    if (parsed.success) return parsed.data;
    const [{ path: where, message }] = parsed.error.issues;
    const problem = `job ${id}: ${[...where, message].join(': ')}; not a job of this version’s \`tta build --queue\` or \`tta export --queue\``;
    this.#options.progress.note(problem);
    throw new UnrecoverableError(problem);
  }

  /** Leaves a job to a worker that can run it, which may come later. */
  async #leave(job: BuildQueueJob, problem: string, token?: string): Promise<never> {
    if (!this.#left.has(job.id!)) this.#options.progress.note(`job ${job.id} is left: ${problem}`);
    this.#left.add(job.id!);
    await job.updateProgress({ worker: this.name, stage: problem } satisfies JobProgress);
    await job.moveToDelayed(Date.now() + LEFT_MS, token);
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
      job.updateProgress({ worker: this.name, stage } satisfies JobProgress).catch(() => {});
    };
    return {
      note: progress.note,
      start(name, total, unit) {
        const stage = progress.start(name, total, unit);
        report(name);
        return {
          at(done) {
            stage.at(done);
            report(
              total === null ? name : `${name} ${Math.floor((100 * done) / Math.max(1, total))} %`,
            );
          },
          finish: stage.finish,
        };
      },
    };
  }
}

async function giveBack(job: BuildQueueJob, token?: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

function inGib(bytes: Bytes): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
