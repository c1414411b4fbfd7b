import { setTimeout as pause } from 'node:timers/promises';
import { FlowProducer, type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { withoutPassword } from '../../portal/accounts/ledger-address.ts';
import { redisOptions } from '../../portal/accounts/redis/redis-options.ts';
import { UsageError } from '../errors.ts';
import { parseQueueAddress, QUEUE_FORM } from '../settings/queue-address.ts';
import type { QueuedJob } from './queued-job.ts';

/** What a worker tells while it works. */
export interface JobProgress {
  readonly worker: string;
  readonly stage: string;
}

export type BuildQueueJob = Job<QueuedJob, { searched: readonly string[] }>;

export const QUEUE_NAME = 'tta-build';
/** The states of a job that has not ended. */
export const LEFT_TO_DO = [
  'waiting-children',
  'waiting',
  'prioritized',
  'delayed',
  'active',
] as const;
const CONNECT_MS = 3_000;
const LOOK_MS = 1_000;
/** Jobs that are looked at together. */
const PAGE = 100;

/** A connection to the Redis of a queue that waits for it whenever it is away, once it was there. */
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
    // As those who wait for jobs need it.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isOpen ? Math.min(2_000, 100 * times) : null),
  });
  // What is asked for meanwhile waits; without a listener it would be written to the console.
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
    throw new UsageError(
      `queue ${shown}: ${message}; is its Redis running, and reached from here?`,
    );
  }
}

/** The queue of builds, for who puts jobs into it and looks at them. */
export class BuildQueue {
  readonly #redis: Redis;
  readonly jobs: Queue<QueuedJob>;
  readonly flows: FlowProducer;

  private constructor(redis: Redis) {
    this.#redis = redis;
    this.jobs = new Queue(QUEUE_NAME, { connection: redis });
    this.flows = new FlowProducer({ connection: redis });
    // Told by what fails, or waits.
    this.jobs.on('error', () => {});
    this.flows.on('error', () => {});
  }

  /** A `UsageError` if it is not there. */
  static async open(address: string): Promise<BuildQueue> {
    return new BuildQueue(await connect(address));
  }

  /** Resolves when no job is left to do: with the build that has failed for good, if one has. */
  async untilDone(): Promise<string | null> {
    const leftToDo = () => this.jobs.getJobCountByTypes(...LEFT_TO_DO);
    while ((await leftToDo()) > 0) await pause(LOOK_MS);
    return this.#failure();
  }

  /** The last job that failed, unless a build was put into the queue after it and is done. */
  async #failure(): Promise<string | null> {
    const [failed] = await this.jobs.getFailed(0, 0);
    if (!failed) return null;
    const failedMs = failed.finishedOn ?? failed.timestamp;
    for (let from = 0; ; from += PAGE) {
      // The last that was done is the first.
      const done = await this.jobs.getCompleted(from, from + PAGE - 1);
      if (done.some(({ timestamp }) => timestamp > failedMs)) return null;
      if (done.length < PAGE || (done.at(-1)?.finishedOn ?? 0) < failedMs) break;
    }
    return `build ${failed.data.build} failed: ${await this.whyFailed(failed.id!)}`;
  }

  /** Why a job failed, or the one that it stands behind. */
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
