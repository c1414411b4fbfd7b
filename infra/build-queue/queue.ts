import { type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { storeId } from '../../builder/publish/store-id.ts';
import type { TaskResult } from '../../builder/tasks/run-task.ts';
import { taskSchema } from '../../builder/tasks/task.ts';
import { withoutPassword } from '../../proxy/ledger/ledger-address.ts';
import { redisOptions } from '../../proxy/ledger/redis/connection.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { UsageError } from '../errors.ts';
import { parseQueueAddress, QUEUE_FORM } from '../settings/queue-address.ts';

/** Schema of the data of a job in the queue, which anyone with access to its Redis can write. */
export const queuedTaskSchema = z.strictObject({
  /** `programVersion` of the command that queued the task, the only one that can run it. */
  program: z.string(),
  task: taskSchema,
  /** The memory that a worker needs for it. */
  memory: z.number().min(0),
});
export type QueuedTask = z.infer<typeof queuedTaskSchema>;

/** Progress that a worker reports while it works, or its reason for leaving a job. */
export interface JobProgress {
  readonly worker: string;
  readonly stage: string;
}

export type BuildQueueJob = Job<QueuedTask, TaskResult>;

/**
 * Workers that may be lost during a job, the last of which fails it: a machine is lost once, but a
 * job for which memory is too small loses them all.
 */
export const MAX_LOST = 3;

const PREFIX = 'tta-build';
export const UNFINISHED_STATES = ['waiting', 'prioritized', 'delayed', 'active'] as const;
const CONNECT_MS: Millis = 3_000;
const LONGEST_RECONNECT_MS: Millis = 2_000;
const POLL_MS: Millis = 1_000;
/** Time without jobs and commands until all is done; longer than a client takes to reconnect. */
const EMPTY_MS: Millis = 2 * LONGEST_RECONNECT_MS;

/** Name of the queue for the builds of a store. Workers of other stores must not take its jobs. */
async function queueName(store: WritableStore): Promise<string> {
  return `${PREFIX}-${await storeId(store)}`;
}

/**
 * Connects to a queue's Redis; once connected, reconnects whenever the connection is lost. Redis
 * shows the connection by `clientName` for as long as it lasts.
 */
export async function connect(address: string, clientName?: string): Promise<Redis> {
  const shown = withoutPassword(address);
  const parsed = parseQueueAddress(address);
  if (!parsed) throw new UsageError(`queue ${shown}: ${QUEUE_FORM}`);
  let isOpen = false;
  let lastError: Error | null = null;
  const redis = new Redis({
    ...redisOptions(parsed),
    ...(clientName !== undefined && { connectionName: clientName }),
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    // Required for blocking job fetches.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isOpen ? Math.min(LONGEST_RECONNECT_MS, 100 * times) : null),
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

/**
 * Describes the error of a Redis that refuses commands for a while: it loads its data, has become a
 * replica, or its memory is full. Throws any other error.
 */
export function refusalIn(error: unknown): string {
  if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
  return `the queue refuses commands; asking again: ${error.message}`;
}

/** Name of the connection of a command that queues tasks and waits for them. */
const commandName = (queue: string) => `${queue}:command`;

interface QueueOptions {
  /** Receives a line when the queue is lost later. */
  readonly note?: (line: string) => void;
  /** Whether workers with `--until-done` stay for as long as this is open. */
  readonly isCommand?: boolean;
}

/**
 * The tasks of a store's builds in Redis. Nothing here is needed to know what is done, which the
 * receipts in the store tell.
 */
export class BuildQueue {
  readonly redis: Redis;
  readonly name: string;
  readonly jobs: Queue<QueuedTask>;

  private constructor(redis: Redis, name: string, { note = () => {} }: QueueOptions) {
    this.redis = redis;
    this.name = name;
    let isAway = false;
    redis.on('error', ({ message }: Error) => {
      if (!isAway) note(`queue: ${message}; waiting for it to come back`);
      isAway = true;
    });
    redis.on('ready', () => {
      isAway = false;
    });
    this.jobs = new Queue(name, { connection: redis });
    // Errors are reported by the calls that fail or wait.
    this.jobs.on('error', () => {});
  }

  /** Opens the queue of a store. Throws a `UsageError` if the queue is unreachable. */
  static async open(
    address: string,
    store: WritableStore,
    options: QueueOptions = {},
  ): Promise<BuildQueue> {
    const name = await queueName(store);
    const redis = await connect(address, options.isCommand ? commandName(name) : undefined);
    return new BuildQueue(redis, name, options);
  }

  /**
   * Resolves when no job is left and no command is connected that may add some. Waits up to
   * `firstMs` for a first job. `note` receives a line each time the queue refuses to tell.
   */
  async untilDone(firstMs: Millis = 0, note: (line: string) => void = () => {}): Promise<void> {
    let untilMs = performance.now() + firstMs;
    for (;;) {
      try {
        // Commands are counted first, since jobs are queued before a command ends.
        const clients = String(await this.redis.client('LIST'));
        const hasCommands = clients.includes(` name=${commandName(this.name)} `);
        const jobs = await this.jobs.getJobCountByTypes(...UNFINISHED_STATES);
        if (hasCommands || jobs > 0) untilMs = performance.now() + EMPTY_MS;
        else if (performance.now() >= untilMs) return;
      } catch (error) {
        note(refusalIn(error));
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async close(): Promise<void> {
    await this.jobs.close();
    this.redis.disconnect();
  }
}
