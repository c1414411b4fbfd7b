import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FlowProducer, type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { BuildError } from '../../builder/errors.ts';
import { storeId } from '../../builder/publish/store-id.ts';
import { withoutPassword } from '../../proxy/ledger/ledger-address.ts';
import { redisOptions } from '../../proxy/ledger/redis/redis-options.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { counted } from '../../shards/number-words.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { UsageError } from '../errors.ts';
import { parseQueueAddress, QUEUE_FORM } from '../settings/queue-address.ts';
import type { Queued } from './queued-job.ts';

/** Progress that a worker reports while it works. */
export interface JobProgress {
  readonly worker: string;
  readonly stage: string;
}

/** Schema of a worker's result for a job, which anyone with access to the Redis can write. */
export const jobReturnSchema = z.strictObject({
  /** Counties that a unit has searched, instead of finding their objects. */
  searched: z.array(z.string()).readonly(),
  /** The notes of a preparation job, see `JobResult`. */
  notes: z.array(z.string()).readonly(),
});
export type JobReturn = z.infer<typeof jobReturnSchema>;

export type BuildQueueJob = Job<Queued, JobReturn>;

const PREFIX = 'tta-build';
/** States of unfinished jobs. */
export const UNFINISHED_STATES = [
  'waiting-children',
  'waiting',
  'prioritized',
  'delayed',
  'active',
] as const;
const CONNECT_MS = 3_000;
const POLL_MS: Millis = 1_000;
const PLANNING_LAPSES_S = 15;
const RENEW_PLANNING_MS = 5_000;
/** Time until unused queues are forgotten. */
const QUEUES_LAPSE_S = 30 * 86_400;
/** Time until a count of polls expires; longer than a worker is usually cut off from its queue. */
const POLLS_LAPSE_S = 3_600;
/** Time within which commands that plan or watch a build restore what the Redis has lost. */
const RESTORED_WITHIN_MS: Millis = 3 * RENEW_PLANNING_MS;
/**
 * Time until the mark of a cancelled build expires; longer than between two polls of a command that
 * waits for the build, even if the command loses the queue for a while.
 */
const CANCELLED_LAPSES_S = 60;
/** Jobs examined at a time. */
const PAGE = 100;
/** Hash: queue → the location of its store. */
const QUEUES = `${PREFIX}:queues`;

/** Name of the queue for the builds of a store. Workers of other stores must not take its jobs. */
export async function queueName(store: WritableStore): Promise<string> {
  return `${PREFIX}-${await storeId(store)}`;
}

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
  /** Name of the queue, and prefix of its keys. */
  readonly name: string;
  readonly #store: WritableStore;
  /** The other queues that have been noted. */
  readonly #noted = new Set<string>();
  readonly jobs: Queue<Queued>;
  readonly flows: FlowProducer;

  private constructor(
    redis: Redis,
    name: string,
    store: WritableStore,
    note: (line: string) => void,
  ) {
    this.#redis = redis;
    this.name = name;
    this.#store = store;
    let isAway = false;
    redis.on('error', ({ message }: Error) => {
      if (!isAway) note(`queue: ${message}; waiting for it to come back`);
      isAway = true;
    });
    redis.on('ready', () => {
      isAway = false;
    });
    this.jobs = new Queue(name, { connection: redis });
    this.flows = new FlowProducer({ connection: redis });
    // Errors are reported by the calls that fail or wait.
    this.jobs.on('error', () => {});
    this.flows.on('error', () => {});
  }

  /**
   * Opens the queue of a store. Throws a `UsageError` if the queue is unreachable. `note` receives
   * a line when the queue is lost later.
   */
  static async open(
    address: string,
    store: WritableStore,
    note: (line: string) => void = () => {},
  ): Promise<BuildQueue> {
    const redis = await connect(address);
    try {
      return new BuildQueue(redis, await queueName(store), store, note);
    } catch (error) {
      redis.disconnect();
      throw error;
    }
  }

  /**
   * Set of the keys of commands that plan or watch a build. Each command has a key of its own,
   * which expires if the command is killed.
   */
  get planners(): string {
    return `${this.name}:planners`;
  }

  /**
   * The key that marks a build as cancelled. While the key exists, commands that wait for the build
   * end instead of queuing it again.
   */
  #cancelledKey(build: string): string {
    return `${this.name}:cancelled:${build}`;
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
   * Runs `plan`, which queues jobs, and queues them again if the queue loses them. Meanwhile,
   * `untilDone` waits even if there are no jobs.
   */
  async whilePlanning<T>(plan: () => Promise<T>): Promise<T> {
    const planner = `${this.planners}:${randomUUID()}`;
    const renew = () =>
      this.#redis
        .multi()
        .set(planner, '1', 'EX', PLANNING_LAPSES_S)
        .sadd(this.planners, planner)
        .expire(this.planners, PLANNING_LAPSES_S)
        .hset(QUEUES, this.name, this.#store.location)
        .expire(QUEUES, QUEUES_LAPSE_S)
        .exec();
    await renew();
    // A failed renewal may succeed next time.
    const timer = setInterval(() => renew().catch(() => {}), RENEW_PLANNING_MS);
    try {
      return await plan();
    } finally {
      clearInterval(timer);
      // Not awaited, since without the queue it would delay an error. If it fails, the key expires.
      this.#redis
        .multi()
        .del(planner)
        .srem(this.planners, planner)
        .exec()
        .catch(() => {});
    }
  }

  async #countPlanners(): Promise<number> {
    const planners = await this.#redis.smembers(this.planners);
    return planners.length === 0 ? 0 : this.#redis.exists(...planners);
  }

  /**
   * Resolves when no job is left and no build is being planned or watched, with a message if a
   * build has failed for good, otherwise with null. Waits up to `firstMs` for a first job, and for
   * a while if the Redis has lost its data, which it notes.
   */
  async untilDone(
    firstMs: Millis = 0,
    note: (line: string) => void = () => {},
  ): Promise<string | null> {
    // Planners are counted first, since jobs are queued before planning ends.
    const countUnfinished = async () =>
      (await this.#countPlanners()) + (await this.jobs.getJobCountByTypes(...UNFINISHED_STATES));
    // Counts the polls, from which the worker detects that the Redis has lost data.
    const polls = `${this.name}:looks:${randomUUID()}`;
    let emptyUntilMs = performance.now() + firstMs;
    for (let poll = 1; ; ) {
      try {
        const unfinished = await countUnfinished();
        if (await this.#hasLostData(polls, poll)) {
          note('the queue has lost data; waiting for jobs to be queued again');
          emptyUntilMs = Math.max(emptyUntilMs, performance.now() + RESTORED_WITHIN_MS);
        } else if (unfinished > 0) emptyUntilMs = 0;
        else if (performance.now() >= emptyUntilMs) return await this.failure();
        poll++;
      } catch (error) {
        // A Redis that has become a replica, or whose memory is full, refuses commands for a while.
        if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
        note(`the queue refuses commands; asking again: ${error.message}`);
      }
      await pause(POLL_MS);
    }
  }

  /**
   * Whether the Redis has lost the count of the previous poll, because it was emptied, restarted
   * from an older snapshot, or replaced by a replica that lagged behind.
   */
  async #hasLostData(key: string, poll: number): Promise<boolean> {
    const replies = await this.#redis.multi().getset(key, poll).expire(key, POLLS_LAPSE_S).exec();
    const before = Number(replies?.[0][1] ?? 0);
    // A command that is resent after a lost reply finds its own count.
    return poll > 1 && before !== poll - 1 && before !== poll;
  }

  /**
   * Removes the jobs of a build that no worker has begun, and returns the numbers of removed and of
   * running jobs. If any were removed, commands that wait for the build end.
   */
  async cancel(build: string): Promise<{ readonly removed: number; readonly running: number }> {
    // Set first, or a command could queue the removed jobs again.
    await this.#redis.set(this.#cancelledKey(build), '1', 'EX', CANCELLED_LAPSES_S);
    const counts = await this.removeUnstarted(({ data }) => data.build === build);
    if (counts.removed === 0) await this.#redis.del(this.#cancelledKey(build));
    return counts;
  }

  /** Removes the mark of a cancelled build, which is to be queued again. */
  async renew(build: string): Promise<void> {
    await this.#redis.del(this.#cancelledKey(build));
  }

  /** Throws a `BuildError` if a build has been cancelled. */
  async requireUncancelled(build: string): Promise<void> {
    if ((await this.#redis.exists(this.#cancelledKey(build))) === 0) return;
    throw new BuildError('the build was cancelled');
  }

  /** Removes unfinished jobs that no worker has begun. Counts them, and those that run. */
  async removeUnstarted(
    isWanted: (job: BuildQueueJob) => boolean,
  ): Promise<{ readonly removed: number; readonly running: number }> {
    const found: (BuildQueueJob | undefined)[] = await this.jobs.getJobs([...UNFINISHED_STATES]);
    const wanted = found.filter((job) => job !== undefined).filter(isWanted);
    let removed = 0;
    // Jobs are removed before the jobs that they wait for, since without these they would begin.
    for (const job of wanted.sort((a, b) => heightOf(b) - heightOf(a))) {
      if (await removeIfUnstarted(job)) removed++;
    }
    return { removed, running: wanted.length - removed };
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
    const failedReason = (await this.jobs.getJob(id))?.failedReason || 'the build failed';
    const [, child] = /^child .*:(\S+) failed$/.exec(failedReason) ?? [];
    return child ? this.failureOf(child) : failedReason;
  }

  async close(): Promise<void> {
    await Promise.all([this.jobs.close(), this.flows.close()]);
    this.#redis.disconnect();
  }
}

/** Number of levels of jobs that a job waits for. */
function heightOf({ name }: BuildQueueJob): number {
  return ['join', 'publish'].indexOf(name) + 1;
}

/**
 * Message of BullMQ's error for a job that a worker has begun; nothing else identifies the error.
 */
const IS_LOCKED = /could not be removed because it is locked/;

/**
 * Removes a job from the queue, unless a worker has begun it, and returns whether it was removed.
 * The jobs that it waits for stay. Rejects if the queue fails.
 */
export async function removeIfUnstarted(job: BuildQueueJob): Promise<boolean> {
  try {
    await job.remove({ removeChildren: false });
    return true;
  } catch (error) {
    if (IS_LOCKED.test(messageOf(error))) return false;
    throw error;
  }
}
