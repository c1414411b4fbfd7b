import { setTimeout as pause } from 'node:timers/promises';
import { FlowProducer, type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { withoutPassword } from '../../portal/accounts/ledger-address.ts';
import { redisOptions } from '../../portal/accounts/redis/redis-options.ts';
import { UsageError } from '../errors.ts';
import { parseQueueAddress, QUEUE_FORM } from '../settings/queue-address.ts';
import type { QueuedJob } from './queued-job.ts';

/** Progress that a worker reports while it works. */
export interface JobProgress {
  readonly worker: string;
  readonly stage: string;
}

export type BuildQueueJob = Job<QueuedJob, { searched: readonly string[] }>;

export const QUEUE_NAME = 'tta-build';
/** States of unfinished jobs. */
export const LEFT_TO_DO = [
  'waiting-children',
  'waiting',
  'prioritized',
  'delayed',
  'active',
] as const;
const CONNECT_MS = 3_000;
const LOOK_MS = 1_000;
/** Jobs examined at a time. */
const PAGE = 100;

/** Connects to a queue's Redis; once connected, reconnects whenever the connection is lost. */
export async function connect(address: string): Promise<Redis> {
  const shown = withoutPassword(address);
  const parsed = parseQueueAddress(address);
  if (!parsed) throw new UsageError(`queue ${shown}: ${QUEUE_FORM}`);
  let isOpen = false;
  let lastError: Error | null = null;
  const redis = new Redis({
    ...redisOptions(parsed),
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    // Required for blocking job fetches.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isOpen ? Math.min(2_000, 100 * times) : null),
  });
  // Commands are held until the connection is back; without a listener the error would be logged to
  // the console.
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    isOpen = true;
    return redis;
  } catch (error) {
    redis.disconnect();
    const { message } = lastError ?? (error as Error);
    throw new UsageError(`queue ${shown}: ${message}; is Redis running and reachable from here?`);
  }
}

/** The build queue, as seen by processes that submit and watch jobs. */
export class BuildQueue {
  readonly #redis: Redis;
  readonly jobs: Queue<QueuedJob>;
  readonly flows: FlowProducer;

  private constructor(redis: Redis) {
    this.#redis = redis;
    this.jobs = new Queue(QUEUE_NAME, { connection: redis });
    this.flows = new FlowProducer({ connection: redis });
    // Errors are reported by the calls that fail or wait.
    this.jobs.on('error', () => {});
    this.flows.on('error', () => {});
  }

  /** Throws a `UsageError` if the queue is unreachable. */
  static async open(address: string): Promise<BuildQueue> {
    return new BuildQueue(await connect(address));
  }

  /**
   * Resolves when no job is left: with a message if a build has failed for good, otherwise with
   * null.
   */
  async untilDone(): Promise<string | null> {
    const leftToDo = () => this.jobs.getJobCountByTypes(...LEFT_TO_DO);
    while ((await leftToDo()) > 0) await pause(LOOK_MS);
    return this.#failure();
  }

  /** The most recent failure, unless a build queued after it has succeeded. */
  async #failure(): Promise<string | null> {
    const [failed] = await this.jobs.getFailed(0, 0);
    if (!failed) return null;
    const failedMs = failed.finishedOn ?? failed.timestamp;
    for (let from = 0; ; from += PAGE) {
      // Most recently finished first.
      const done = await this.jobs.getCompleted(from, from + PAGE - 1);
      if (done.some(({ timestamp }) => timestamp > failedMs)) return null;
      if (done.length < PAGE || (done.at(-1)?.finishedOn ?? 0) < failedMs) break;
    }
    return `build ${failed.data.build} failed: ${await this.whyFailed(failed.id!)}`;
  }

  /** Why a job failed, or the job it depends on. */
  async whyFailed(id: string): Promise<string> {
    const failedReason = (await this.jobs.getJob(id))?.failedReason || 'the build failed';
    const [, child] = /^child .*:(\S+) failed$/.exec(failedReason) ?? [];
    return child ? this.whyFailed(child) : failedReason;
  }

  async close(): Promise<void> {
    await Promise.all([this.jobs.close(), this.flows.close()]);
    this.#redis.disconnect();
  }
}
