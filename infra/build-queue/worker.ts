import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { requireThisProgram } from '../../builder/build-region.ts';
import { readPlan } from '../../builder/plan/release-plan.ts';
import { readJob } from '../../builder/plan/stored-job.ts';
import type { Progress, StageProgress } from '../../builder/progress.ts';
import { endLease, withLease } from '../../builder/publish/leases.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { isProcessAlive } from '../../shards/store/process-alive.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import { describe } from '../errors.ts';
import type { ThreadInput, ThreadMessage } from './job-thread.ts';
import {
  type BuildQueueJob,
  connect,
  type JobProgress,
  type JobReturn,
  QUEUE_NAME,
} from './queue.ts';
import { parseQueued, programIn, type Queued, storeNameOf } from './queued-job.ts';
import { isTransient, pauseAfterMs } from './retries.ts';

export interface WorkerOptions {
  readonly queue: string;
  readonly store: string;
  /** Threads, and bytes per job. */
  readonly workers: number;
  readonly memory: number;
  readonly progress: Progress;
}

/** A worker that runs queued jobs, one at a time. */
export interface BuildWorker {
  /** Resolves with the reason once it cannot continue, after returning its job to the queue. */
  readonly gaveUp: Promise<string>;
  /** Stops the worker; its current job goes to another worker as if it had never started. */
  close(): Promise<void>;
}

/** A worker silent for this long is considered dead, and another takes over its job. */
const SILENT_MS = 15_000;
const CHECK_SILENT_MS = 5_000;
/** Takeovers per job. Assumes that machines are lost, not that the job kills them. */
const MAX_TAKEOVERS = 10;
/** Maximum wait for garbage collection to finish; after that the job is retried later. */
const SWEEP_WAITS_MS = 5 * 60_000;
const REPORT_MS = 1_000;

/**
 * Takes jobs from the queue and runs each in its own thread, so that the main thread can keep
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
    await removeAbandonedFolders();
    const folder = await mkdtemp(path.join(tmpdir(), `${FOLDER}${process.pid}-`));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    const redis = await connect(options.queue);
    opened.push(() => redis.disconnect());
    const { gaveUp, close, isReady } = startWorking(options, store, folder, redis);
    opened.push(close);
    await isReady;
    return { gaveUp, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Works with resources that the caller has opened and will close. */
function startWorking(
  options: WorkerOptions,
  store: WritableStore,
  folder: string,
  redis: Redis,
): BuildWorker & { readonly isReady: Promise<unknown> } {
  const { progress } = options;
  const name = `${hostname()}-${process.pid}`;
  let giveUp: (reason: string) => void;
  const gaveUp = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  let running: Thread | null = null;
  let isClosing = false;

  const perform = async (job: BuildQueueJob, token?: string) => {
    const giveBack = async (): Promise<never> => {
      await job.moveToWait(token);
      throw new WaitingError();
    };
    const giveUpFor = (problem: string): Promise<never> => {
      isClosing = true;
      // Otherwise it would take the job that it gives back.
      void worker.pause(true);
      giveUp(problem);
      return giveBack();
    };
    if (isClosing) return giveBack();
    const otherProgram = programProblem(job);
    if (otherProgram !== null) return giveUpFor(otherProgram);
    const queued = parseJob(job);
    const problem = await obstacleTo(queued, store, progress);
    if (problem !== null) return giveUpFor(problem);
    const { workers, memory } = options;
    const input: ThreadInput = { queued, store: options.store, folder, workers, memory };
    const work = async () => {
      // `close` may have been called while the store was being read.
      if (isClosing) return giveBack();
      progress.note(`job ${describeJob(queued)}`);
      running = new Thread(new URL('./job-thread.js', import.meta.url), { workerData: input });
      try {
        return await resultOf(running, forwarding(progress, job, name));
      } catch (error) {
        if (isClosing) return giveBack();
        progress.note(`job ${describeJob(queued)} failed: ${messageOf(error)}`);
        throw error;
      } finally {
        running = null;
      }
    };
    const patience = { ms: SWEEP_WAITS_MS, onWait: progress.note };
    const result = await withLease(store, queued.build, work, patience);
    // If this fails, the lease expires.
    const isLast = 'job' in queued && queued.job.kind === 'publish';
    if (isLast) await endLease(store, queued.build).catch(() => {});
    return result;
  };
  const worker = new Worker(QUEUE_NAME, perform, {
    connection: redis,
    name,
    lockDuration: SILENT_MS,
    stalledInterval: CHECK_SILENT_MS,
    maxStalledCount: MAX_TAKEOVERS,
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
  return {
    gaveUp,
    isReady: worker.waitUntilReady(),
    async close() {
      isClosing = true;
      await running?.terminate();
      await worker.close();
    },
  };
}

/**
 * Prefix of a worker's folder for inputs and scratch files; the process id and a random suffix
 * follow.
 */
const FOLDER = 'tta-worker-';

/** Removes folders of killed workers on this machine; other users' folders are left alone. */
async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isProcessAlive(Number(owner))) continue;
    await rm(path.join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * The reason why a job of another version of the program is not for this worker, whatever its
 * schema; null for any other.
 */
function programProblem({ id, data }: BuildQueueJob): string | null {
  const program = programIn(data);
  if (program === null) return null;
  try {
    requireThisProgram({ ref: { name: `job ${id}` }, plan: { program } });
    return null;
  } catch (error) {
    return describe(error);
  }
}

/** Parses a job. An invalid one fails without retries. */
function parseJob({ id, data }: BuildQueueJob): Queued {
  const parsed = parseQueued(data);
  if (parsed.success) return parsed.data;
  const [{ path: where, message }] = parsed.error.issues;
  throw new UnrecoverableError(
    `job ${id}: ${[...where, message].join(': ')}; not a job of this version’s \`tta build --queue\` or \`tta export --queue\``,
  );
}

/**
 * The reason why this worker cannot run a job that another may be able to; null if it can. A job
 * that no worker can run fails without retries.
 */
async function obstacleTo(
  queued: Queued,
  store: Store,
  progress: Progress,
): Promise<string | null> {
  const ref = objectOf(queued);
  try {
    requireThisProgram({ ref, plan: await madeBy(queued, store) });
    return null;
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') {
      if (queued.storeName === storeNameOf(store)) {
        const gone = `${ref.name} has been removed from ${store.location}; run the command that queued the job again`;
        progress.note(`job ${describeJob(queued)} failed: ${gone}`);
        throw new UnrecoverableError(gone);
      }
      return `${store.location}: has no ${ref.name}, which a job in the queue reads; the build uses a different store from this worker`;
    }
    if (error instanceof ShardError) return describe(error);
    throw error;
  }
}

/** The object that a job begins with. */
function objectOf(queued: Queued): Pick<ObjectRef, 'name'> {
  if ('preparation' in queued) return queued.preparation;
  return 'job' in queued ? queued.plan : { name: queued.latest.manifest };
}

/** The version of the program that queued a job. Throws a `StoreError` if its object is missing. */
async function madeBy(queued: Queued, store: Store): Promise<{ readonly program: string }> {
  if ('preparation' in queued) return readJob(store, queued.preparation);
  if ('job' in queued) return (await readPlan(store, queued.plan)).plan;
  await readManifest(store, queued.latest.manifest, queued.latest.sha256);
  return queued;
}

function describeJob(queued: Queued): string {
  if ('preparation' in queued) return `prepare ${queued.preparation.name} of build ${queued.build}`;
  if ('table' in queued) {
    const { table, county } = queued.table;
    return `export ${table}${county === null ? '' : ` of ${county}`} of build ${queued.build}`;
  }
  const { build, job, request } = queued;
  const what = job.kind === 'unit' ? ` of ${job.counties.join(', ')}` : '';
  return `${job.kind}${what} for ${request.release} of build ${build}`;
}

function resultOf(thread: Thread, onMessage: (message: ThreadMessage) => void): Promise<JobReturn> {
  return new Promise((resolve, reject) => {
    thread.on('message', (message: ThreadMessage) => {
      if (message.kind === 'done') resolve(message.result);
      else if (message.kind !== 'failed') onMessage(message);
      else if (message.isFinal) reject(new UnrecoverableError(message.message));
      else reject(new Error(message.message));
    });
    thread.on('error', (error: Error) => {
      const Failure = isTransient(error) ? Error : UnrecoverableError;
      reject(new Failure(describe(error)));
    });
    thread.on('exit', (code) => reject(new Error(`the job thread exited with code ${code}`)));
  });
}

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
  return (message: ThreadMessage) => {
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
