import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { storeId } from '../../builder/publish/store-id.ts';
import type { TaskResult } from '../../builder/tasks/run-task.ts';
import { taskSchema } from '../../builder/tasks/task.ts';
import { withoutPassword } from '../../proxy/ledger/ledger-address.ts';
import { redisOptions } from '../../proxy/ledger/redis/connection.ts';
import { messageOf } from '../../shards/error-facts.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { UsageError } from '../errors.ts';
import { parseQueueAddress } from '../settings/queue-address.ts';

/** Schema of the data of a job in the queue, which anyone with access to its Redis can write. */
export const queuedTaskSchema = z.strictObject({
  /** `programVersion` of the command that queued the task, the only one that can run it. */
  program: z.string(),
  task: taskSchema,
  /** The memory that a worker needs for it. */
  memory: z.number().min(0),
});
type QueuedTask = z.infer<typeof queuedTaskSchema>;

/** A task in the queue. Its progress is a text: what is done and where, or why a worker left it. */
export type BuildQueueJob = Job<QueuedTask, TaskResult>;

/**
 * Workers that may be lost during a job, the last of which fails it: a machine is lost once, but a
 * job for which memory is too small loses them all.
 */
export const MAX_LOST = 3;

export const UNFINISHED_STATES = ['waiting', 'delayed', 'active'] as const;
const CONNECT_MS: Millis = 3_000;
const LONGEST_RECONNECT_MS: Millis = 2_000;
const POLL_MS: Millis = 1_000;
/** Time without jobs and commands until all is done; longer than a client takes to reconnect. */
const EMPTY_MS: Millis = 2 * LONGEST_RECONNECT_MS;

interface QueueOptions {
  /** Receives a line when the queue is lost later. */
  readonly note?: (line: string) => void;
  /** Redis shows the connection by this name for as long as it lasts. */
  readonly connectionName?: string;
}

/** Connects to a queue's Redis; once connected, reconnects whenever the connection is lost. */
export async function connect(
  address: string,
  { note = () => {}, ...named }: QueueOptions = {},
): Promise<Redis> {
  const shown = withoutPassword(address);
  const redis = new Redis({
    // Settings have been checked to be such an address.
    ...redisOptions(parseQueueAddress(address)!),
    ...named,
    connectTimeout: CONNECT_MS,
    // Commands are held until the connection is back, which blocking job fetches require.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(LONGEST_RECONNECT_MS, 100 * times),
  });
  let isAway = true;
  redis.on('error', ({ message }: Error) => {
    if (!isAway) note(`queue: ${message}; waiting for it to come back`);
    isAway = true;
  });
  redis.on('ready', () => {
    isAway = false;
  });
  try {
    await once(redis, 'ready');
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new UsageError(
      `queue ${shown}: ${messageOf(error)}; is Redis running and reachable from here?`,
    );
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

/**
 * The tasks of a store's builds in Redis. Nothing here is needed to know what is done, which the
 * receipts in the store tell.
 */
export class BuildQueue {
  readonly redis: Redis;
  readonly jobs: Queue<QueuedTask>;

  private constructor(redis: Redis, name: string) {
    this.redis = redis;
    this.jobs = new Queue(name, { connection: redis });
    // Errors are reported by the calls that fail or wait.
    this.jobs.on('error', () => {});
  }

  /**
   * Opens the queue of a store, which has one of its own, since workers of other stores must not
   * take its jobs. Workers with `--until-done` stay for as long as that of a command is open.
   * `note` receives a line when the queue is lost. Throws a `UsageError` if it is unreachable.
   */
  static async open(
    address: string,
    store: WritableStore,
    { note, isCommand = false }: Pick<QueueOptions, 'note'> & { readonly isCommand?: boolean } = {},
  ): Promise<BuildQueue> {
    const name = `tta-build-${await storeId(store)}`;
    const connectionName = isCommand ? commandName(name) : undefined;
    return new BuildQueue(await connect(address, { note, connectionName }), name);
  }

  /**
   * Resolves when no job is left and no command is connected that may add some. Waits up to
   * `firstMs` for a first job. `note` receives a line each time the queue refuses to tell.
   */
  async untilDone(firstMs: Millis = 0, note: (line: string) => void = () => {}): Promise<void> {
    for (let untilMs = performance.now() + firstMs; ; await pause(POLL_MS)) {
      try {
        // Commands are counted first, since jobs are queued before a command ends.
        const clients = String(await this.redis.client('LIST'));
        const hasCommands = clients.includes(` name=${commandName(this.jobs.name)} `);
        const jobs = await this.jobs.getJobCountByTypes(...UNFINISHED_STATES);
        if (hasCommands || jobs > 0) untilMs = performance.now() + EMPTY_MS;
        else if (performance.now() >= untilMs) return;
      } catch (error) {
        note(refusalIn(error));
      }
    }
  }

  async close(): Promise<void> {
    await this.jobs.close();
    this.redis.disconnect();
  }
}
