import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Progress, StageProgress } from '../../builder/progress.ts';
import { endLease, withLease } from '../../builder/publish/leases.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { makeOwnFolder, removeAbandonedFolders } from '../../shards/store/process-name.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { describe } from '../errors.ts';
import { obstacleTo, parseJob } from './job-checks.ts';
import { BuildQueue, type BuildQueueJob, connect, type JobProgress, workerName } from './queue.ts';
import { describeJob, type QueuedTask } from './queued-task.ts';
import { isOutOfMemory, isTransient, pauseAfterMs } from './retries.ts';
import { TaskRunner } from './task-runner.ts';
import type { TaskMessage } from './task-thread.ts';

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
  /** Resolves with the reason once it cannot continue, after returning its job to the queue. */
  readonly gaveUp: Promise<string>;
  /** Stops the worker; its current job goes to another worker as if it had never started. */
  close(): Promise<void>;
}

/** Prefix of a worker's folder for inputs and scratch files. */
const FOLDER = 'tta-worker-';
/** A worker silent for this long is considered dead, and another takes over its job. */
const SILENT_MS = 15_000;
const CHECK_SILENT_MS = 5_000;
/**
 * Workers that may be lost during a job before it fails: a machine is lost once, but a job for
 * which memory is too small loses them all.
 */
const MAX_LOST = 3;
/** Reason of a task that was left to a larger worker, which is gone. */
const OUT_OF_MEMORY = 'ran out of memory on a worker with as much; run one with more (--memory)';
/** Time until a task that is left to a larger worker may be taken again. */
const LEFT_MS: Millis = 3_000;

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
    const queue = await BuildQueue.open(options.queue, store);
    opened.push(() => queue.close());
    const redis = await connect(options.queue, workerName(queue.name, options.memory));
    opened.push(() => redis.disconnect());
    const { gaveUp, close, isReady } = startWorking(options, store, folder, redis, queue);
    opened.push(close);
    await isReady;
    return { queue, gaveUp, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Starts a worker on resources that the caller has opened and will close. */
function startWorking(
  options: WorkerOptions,
  store: WritableStore,
  folder: string,
  redis: Awaited<ReturnType<typeof connect>>,
  queue: BuildQueue,
): Omit<BuildWorker, 'queue'> & { readonly isReady: Promise<unknown> } {
  const { progress, workers, memory } = options;
  const name = `${hostname()}-${process.pid}`;
  const runner = new TaskRunner({ store: options.store, folder, workers, memory });
  let giveUp: (reason: string) => void;
  const gaveUp = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  let isClosing = false;

  /** Parses a job, and returns the reason why only another worker may be able to run it, if any. */
  const check = async (job: BuildQueueJob) => {
    try {
      const queued = parseJob(job);
      requireNotFatal(job, queued);
      return { queued, problem: await obstacleTo(queued.task, store) };
    } catch (error) {
      progress.note(`job ${job.id} is refused: ${messageOf(error)}`);
      throw error;
    }
  };
  const perform = async (job: BuildQueueJob, token?: string) => {
    const giveBack = async (): Promise<never> => {
      await job.moveToWait(token);
      throw new WaitingError();
    };
    const leaveToLarger = async (): Promise<never> => {
      await job.moveToDelayed(Date.now() + LEFT_MS, token);
      throw new DelayedError();
    };
    const giveUpFor = (problem: string): Promise<never> => {
      isClosing = true;
      // Otherwise, the worker would take the job that it gives back.
      void worker.pause(true);
      giveUp(problem);
      return giveBack();
    };
    if (isClosing) return giveBack();
    const { queued, problem } = await check(job);
    if (problem !== null) return giveUpFor(problem);
    const { build, task, exhausted = 0 } = queued;
    if (Math.max(queued.memory, exhausted + 1) > memory) {
      if (await queue.hasLargerWorker(memory)) return leaveToLarger();
      if (exhausted >= memory) throw new Error(job.failedReason || OUT_OF_MEMORY);
    }
    const work = async () => {
      // `close` may have been called while the store was being read.
      if (isClosing) return giveBack();
      progress.note(`job ${describeJob(queued)}`);
      try {
        return await runner.run(task, forwarding(progress, job, name));
      } catch (error) {
        if (isClosing) return giveBack();
        progress.note(`job ${describeJob(queued)} failed: ${describe(error)}`);
        if (isOutOfMemory(error)) {
          await job.updateData({ ...queued, exhausted: memory });
          if (await queue.hasLargerWorker(memory)) return leaveToLarger();
        }
        const Failure = isTransient(error) ? Error : UnrecoverableError;
        throw new Failure(describe(error));
      }
    };
    // If garbage collection takes longer than the wait, the job fails and is retried later.
    const result = await withLease(store, build, work, { onWait: progress.note });
    // If this fails, the lease expires.
    if (task.kind === 'publish') await endLease(store, build).catch(() => {});
    return result;
  };
  const worker = new Worker(queue.name, perform, {
    connection: redis,
    name,
    lockDuration: SILENT_MS,
    stalledInterval: CHECK_SILENT_MS,
    // The job fails when it is taken once more, with a reason.
    maxStalledCount: MAX_LOST + 1,
    settings: { backoffStrategy: pauseAfterMs },
  });
  let isAway = false;
  worker.on('error', (error) => {
    if (!isAway) progress.note(`queue: ${error.message}; waiting for it to come back`);
    isAway = true;
  });
  worker.on('active', () => {
    isAway = false;
  });
  // Frees the thread's memory while the worker waits for jobs.
  worker.on('drained', () => void runner.end());
  return {
    gaveUp,
    isReady: worker.waitUntilReady(),
    async close() {
      isClosing = true;
      await runner.end();
      await worker.close();
    },
  };
}

/** Throws an `UnrecoverableError` for a job that has lost `MAX_LOST` workers. */
function requireNotFatal({ stalledCounter, progress }: BuildQueueJob, queued: QueuedTask): void {
  if (stalledCounter < MAX_LOST) return;
  const { worker, stage } = (progress || {}) as Partial<JobProgress>;
  const last = worker === undefined ? '' : `, the last time on ${worker} during ${stage}`;
  throw new UnrecoverableError(
    `${describeJob(queued)}: its worker was killed or cut off ${MAX_LOST} times${last}, probably because memory ran out; give workers more memory, or use smaller units (--unit-blocks of the build)`,
  );
}

const REPORT_MS = 1_000;

/** Displays a thread's progress, and forwards it to the queue at most once a second. */
function forwarding(progress: Progress, job: BuildQueueJob, worker: string) {
  let stage: StageProgress | null = null;
  let [name, total]: [string, number | null] = ['', null];
  let reportedMs = 0;
  const report = (words: string) => {
    if (Date.now() - reportedMs < REPORT_MS) return;
    reportedMs = Date.now();
    // At worst a watcher misses a line.
    job.updateProgress({ worker, stage: words } satisfies JobProgress).catch(() => {});
  };
  return (message: TaskMessage) => {
    if (message.kind === 'note') progress.note(message.line);
    else if (message.kind === 'start') {
      ({ stage: name, total } = message);
      stage = progress.start(name, total, message.unit);
      report(name);
    } else if (message.kind === 'at') {
      stage?.at(message.done);
      report(
        total === null
          ? name
          : `${name} ${Math.floor((100 * message.done) / Math.max(1, total))} %`,
      );
    } else if (message.kind === 'finish') stage?.finish(message.summary);
  };
}
