import { type FlowJob, FlowProducer, type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { BuildError } from '../../builder/errors.ts';
import { storeId } from '../../builder/publish/store-id.ts';
import type { TaskResult } from '../../builder/tasks/run-task.ts';
import { type TaskNode, tasksIn } from '../../builder/tasks/task.ts';
import { withoutPassword } from '../../proxy/ledger/ledger-address.ts';
import { redisOptions } from '../../proxy/ledger/redis/connection.ts';
import { counted } from '../../shards/number-words.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes, Millis } from '../../shards/units.ts';
import { UsageError } from '../errors.ts';
import { parseQueueAddress, QUEUE_FORM } from '../settings/queue-address.ts';
import type { QueuedTask } from './queued-task.ts';
import { ATTEMPTS } from './retries.ts';

/** Progress that a worker reports while it works. */
export interface JobProgress {
  readonly worker: string;
  readonly stage: string;
}

export type BuildQueueJob = Job<QueuedTask, TaskResult>;

const PREFIX = 'tta-build';
export const UNFINISHED_STATES = [
  'waiting-children',
  'waiting',
  'prioritized',
  'delayed',
  'active',
] as const;
const CONNECT_MS: Millis = 3_000;
const LONGEST_RECONNECT_MS: Millis = 2_000;
const POLL_MS: Millis = 1_000;
/** Time without jobs and commands until all is done; longer than a client takes to reconnect. */
const EMPTY_MS: Millis = 2 * LONGEST_RECONNECT_MS;
/** Time until the locations of unused queues are forgotten. */
const QUEUES_LAPSE_S = 30 * 86_400;
/** Seconds that finished jobs are kept for inspection. */
const KEEP_S = 7 * 86_400;
/** Jobs examined at a time. */
const PAGE = 100;
/** Hash: queue → the location of its store. */
const QUEUES = `${PREFIX}:queues`;

/** Name of the queue for the builds of a store. Workers of other stores must not take its jobs. */
export async function queueName(store: WritableStore): Promise<string> {
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

/** Name of the connection of a command that queues tasks or waits for them. */
const commandName = (queue: string) => `${queue}:command`;
/** Name of the connection of a worker, which states the memory that it has for a task. */
export const workerName = (queue: string, memory: Bytes) => `${queue}:worker:${memory}`;

interface QueueOptions {
  /** Receives a line when the queue is lost later. */
  readonly note?: (line: string) => void;
  /** Whether workers with `--until-done` stay for as long as this is open. */
  readonly isCommand?: boolean;
}

/**
 * The tasks of a store's builds in Redis. Only commands add tasks, each by its own id, so that
 * adding it again is harmless. Nothing here is needed to know what is done, which the receipts in
 * the store tell: a queue that has lost its data is filled again by the same command.
 */
export class BuildQueue {
  readonly #redis: Redis;
  /** Name of the queue, and prefix of its keys. */
  readonly name: string;
  readonly #store: WritableStore;
  /** The other queues that have been noted. */
  readonly #noted = new Set<string>();
  readonly jobs: Queue<QueuedTask>;
  readonly #flows: FlowProducer;

  private constructor(redis: Redis, name: string, store: WritableStore, options: QueueOptions) {
    this.#redis = redis;
    this.name = name;
    this.#store = store;
    let isAway = false;
    redis.on('error', ({ message }: Error) => {
      if (!isAway) options.note?.(`queue: ${message}; waiting for it to come back`);
      isAway = true;
    });
    redis.on('ready', () => {
      isAway = false;
    });
    this.jobs = new Queue(name, { connection: redis });
    this.#flows = new FlowProducer({ connection: redis });
    // Errors are reported by the calls that fail or wait.
    this.jobs.on('error', () => {});
    this.#flows.on('error', () => {});
  }

  /** Opens the queue of a store. Throws a `UsageError` if the queue is unreachable. */
  static async open(
    address: string,
    store: WritableStore,
    options: QueueOptions = {},
  ): Promise<BuildQueue> {
    const name = await queueName(store);
    const redis = await connect(address, options.isCommand ? commandName(name) : undefined);
    return new BuildQueue(redis, name, store, options);
  }

  /**
   * Adds a task and those before it, and returns true; or false if it is in the queue already. The
   * worker that gets a task detects work that is already done.
   */
  async add(root: TaskNode): Promise<boolean> {
    const states: readonly string[] = UNFINISHED_STATES;
    if (states.includes(await this.jobs.getJobState(root.id))) return false;
    await this.#redis
      .multi()
      .hset(QUEUES, this.name, this.#store.location)
      .expire(QUEUES, QUEUES_LAPSE_S)
      .srem(this.#cancelled, root.build)
      .exec();
    // Jobs that an earlier command has seen finished would count as done.
    for (const { id } of tasksIn(root)) {
      const job = await this.jobs.getJob(id);
      if (job?.finishedOn !== undefined) await job.remove({ removeChildren: false });
    }
    await this.#flows.add(this.#flowOf(root));
    return true;
  }

  #flowOf({ id, build, task, memory, turn, after }: TaskNode, isRoot = true): FlowJob {
    return {
      name: task.kind,
      queueName: this.name,
      data: { build, task, memory } satisfies QueuedTask,
      opts: {
        jobId: id,
        attempts: ATTEMPTS,
        // Computed by the worker's `pauseAfterMs`.
        backoff: { type: 'custom' },
        removeOnComplete: { age: KEEP_S },
        removeOnFail: { age: KEEP_S },
        priority: turn,
        ...(!isRoot && { failParentOnFailure: true }),
      },
      children: after.map((node) => this.#flowOf(node, false)),
    };
  }

  /** Set of the builds that were cancelled and have not been queued since. */
  get #cancelled(): string {
    return `${this.name}:cancelled`;
  }

  /**
   * Removes the jobs of a build that no worker has begun, and returns the numbers of removed and of
   * running jobs. If any were removed, commands that wait for the build end.
   */
  async cancel(build: string): Promise<{ readonly removed: number; readonly running: number }> {
    const found: (BuildQueueJob | undefined)[] = await this.jobs.getJobs([...UNFINISHED_STATES]);
    const wanted = found
      .filter((job) => job !== undefined)
      .filter(({ data }) => data.build === build);
    // Added first, or a command could queue the removed jobs again.
    if (wanted.length > 0) await this.#redis.sadd(this.#cancelled, build);
    let removed = 0;
    // Jobs are removed before the jobs that they wait for, since without these they would begin.
    for (const { id } of wanted.sort((a, b) => heightOf(b) - heightOf(a))) {
      if (await this.removeUnlessBegun(id!)) removed++;
    }
    if (removed === 0) await this.#redis.srem(this.#cancelled, build);
    return { removed, running: wanted.length - removed };
  }

  /** Throws a `BuildError` if a build has been cancelled. */
  async requireUncancelled(build: string): Promise<void> {
    if ((await this.#redis.sismember(this.#cancelled, build)) === 0) return;
    throw new BuildError('the build was cancelled');
  }

  /**
   * Removes a job from the queue, unless a worker has begun it, and returns whether it is no longer
   * there. The jobs that it waits for stay. Rejects if the queue fails.
   */
  async removeUnlessBegun(id: string): Promise<boolean> {
    const job = await this.jobs.getJob(id);
    try {
      await job?.remove({ removeChildren: false });
      return true;
    } catch (error) {
      // A job that a worker holds cannot be removed.
      if ((await this.jobs.getJobState(id)) === 'active') return false;
      throw error;
    }
  }

  /** Names of the connections to the Redis that begin with a prefix. */
  async #connections(prefix: string): Promise<string[]> {
    const list = String(await this.#redis.client('LIST'));
    const names = [...list.matchAll(/ name=(\S*)/g)].map(([, name]) => name);
    return names.filter((name) => name.startsWith(prefix));
  }

  /** Whether a worker that has more memory than this is connected. */
  async hasLargerWorker(memory: Bytes): Promise<boolean> {
    const prefix = workerName(this.name, 0).slice(0, -1);
    const names = await this.#connections(prefix);
    return names.some((name) => Number(name.slice(prefix.length)) > memory);
  }

  /** Notes, each once, the other stores whose jobs wait for workers. */
  async noteOthers(note: (line: string) => void): Promise<void> {
    const queues = await this.#redis.hgetall(QUEUES);
    for (const [name, location] of Object.entries(queues)) {
      if (name === this.name || this.#noted.has(name)) continue;
      const other = new Queue(name, { connection: this.#redis });
      other.on('error', () => {});
      const waiting = await other.getJobCountByTypes(...UNFINISHED_STATES);
      await other.close();
      if (waiting === 0) continue;
      this.#noted.add(name);
      const jobs = `${counted(waiting, 'job')} of this queue ${waiting === 1 ? 'is' : 'are'} for`;
      note(`${jobs} ${await this.#describeOther(name, location)}`);
    }
  }

  /** Describes the store of another queue, which may have the location of this one. */
  async #describeOther(name: string, location: string): Promise<string> {
    const own = this.#store.location;
    if (location !== own) return `workers with the store ${location}; this one has ${own}`;
    return (await queueName(this.#store)) === name
      ? `the store ${own} as it was created anew after this worker began; start the worker again`
      : `another store that was at ${own} before, or is there on another machine; workers with this one cannot run such jobs`;
  }

  /**
   * Resolves when no job is left and no command is connected that may add some, with a message if a
   * build has failed for good, otherwise with null. Waits up to `firstMs` for a first job.
   */
  async untilDone(
    firstMs: Millis = 0,
    note: (line: string) => void = () => {},
  ): Promise<string | null> {
    let untilMs = performance.now() + firstMs;
    for (;;) {
      try {
        // Commands are counted first, since jobs are queued before a command ends.
        const commands = (await this.#connections(commandName(this.name))).length;
        const jobs = await this.jobs.getJobCountByTypes(...UNFINISHED_STATES);
        if (commands + jobs > 0) untilMs = performance.now() + EMPTY_MS;
        else if (performance.now() >= untilMs) return await this.failure();
      } catch (error) {
        // A Redis that has become a replica, or whose memory is full, refuses commands for a while.
        if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
        note(`the queue refuses commands; asking again: ${error.message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /**
   * Returns the most recent failure; null if there is none, or a build queued after it has
   * succeeded.
   */
  async failure(): Promise<string | null> {
    const [failed] = await this.jobs.getFailed(0, 0);
    if (!failed) return null;
    const failedMs = failed.finishedOn ?? failed.timestamp;
    for (let from = 0; ; from += PAGE) {
      // The most recently finished jobs come first.
      const done = await this.jobs.getCompleted(from, from + PAGE - 1);
      if (done.some(({ timestamp }) => timestamp > failedMs)) return null;
      if (done.length < PAGE || (done.at(-1)?.finishedOn ?? 0) < failedMs) break;
    }
    return `build ${failed.data.build} failed: ${await this.failureOf(failed.id!)}`;
  }

  /**
   * Returns the reason why a job failed; if a job that it depends on failed, the reason of that
   * failure.
   */
  async failureOf(id: string): Promise<string> {
    const job = await this.jobs.getJob(id);
    const { failed: [before] = [] } = (await job?.getDependencies({ failed: { count: 1 } })) ?? {};
    // By the job's key, of which the id is the last part.
    if (before !== undefined) return this.failureOf(before.slice(before.lastIndexOf(':') + 1));
    return job?.failedReason || 'the build failed';
  }

  async close(): Promise<void> {
    await Promise.all([this.jobs.close(), this.#flows.close()]);
    this.#redis.disconnect();
  }
}

/** Number of levels of tasks that a task waits for. */
function heightOf({ data }: BuildQueueJob): number {
  return ['join', 'publish'].indexOf(data.task.kind) + 1;
}
