import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { BuildError } from '../../builder/errors.ts';
import type { PendingPlan } from '../../builder/plan/make-plan.ts';
import type { PlannedInput } from '../../builder/plan/planned-input.ts';
import { putInputs } from '../../builder/plan/shared-inputs.ts';
import { putJob } from '../../builder/plan/stored-job.ts';
import type { JobResult, PreparationPool } from '../../builder/prepare/preparation.ts';
import type { PreparationJob } from '../../builder/prepare/preparation-job.ts';
import { silent } from '../../builder/progress.ts';
import { endLease } from '../../builder/publish/leases.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { taskResultSchema } from '../../builder/tasks/run-task.ts';
import { buildIdOf, type TaskNode } from '../../builder/tasks/task.ts';
import { keepUntilFailed } from '../../shards/concurrency/on-demand.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import type { BuildQueue } from './queue.ts';

/** Maximum number of jobs in the queue at once; more than the threads that workers could have. */
const QUEUED_JOBS = 1_000;
const POLL_MS: Millis = 500;

/**
 * A pool that queues preparation jobs for workers, and runs jobs that no worker has begun on
 * `local`, another pool, which it closes. So jobs are done without workers too, and the jobs of a
 * worker that dies are done by this process or another worker, whichever is free first. Inputs
 * reach workers through the store.
 */
export class QueuePreparationPool implements PreparationPool {
  readonly width = QUEUED_JOBS;
  readonly #queue: BuildQueue;
  readonly #store: WritableStore;
  readonly #receipts: Receipts;
  readonly #local: PreparationPool;
  readonly #inputAt: PendingPlan['inputAt'];
  readonly #build: string;
  /** Uploads by the SHA-256 of the input, which many jobs read. */
  readonly #uploads = new Map<string, Promise<void>>();
  readonly #runs: Promise<unknown>[] = [];
  /** Ids of the tasks that this has queued and not seen done. */
  readonly #unfinished = new Set<string>();
  #freeLocally: number;
  #isClosed = false;

  constructor(
    queue: BuildQueue,
    store: WritableStore,
    { key, inputAt }: PendingPlan,
    local: PreparationPool,
  ) {
    this.#queue = queue;
    this.#store = store;
    this.#receipts = new Receipts(store);
    this.#local = local;
    this.#inputAt = inputAt;
    this.#build = buildIdOf(['plan', key]);
    this.#freeLocally = local.width;
  }

  run(job: PreparationJob, onWork: (amount: number) => void): Promise<JobResult> {
    const run = this.#prepare(job, onWork);
    this.#runs.push(run);
    return run;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#local.close();
    await Promise.allSettled(this.#runs);
    // An unreachable queue keeps these jobs; the next command that makes the same plan finds them.
    for (const id of this.#unfinished) await this.#queue.removeUnlessBegun(id).catch(() => false);
    // If this fails, the lease expires.
    await endLease(this.#store, this.#build).catch(() => {});
  }

  async #prepare(job: PreparationJob, onWork: (amount: number) => void): Promise<JobResult> {
    const node = await this.#nodeOf(job);
    this.#unfinished.add(node.id);
    const result = await this.#finish(job, node, onWork);
    this.#unfinished.delete(node.id);
    return result;
  }

  async #nodeOf(job: PreparationJob): Promise<TaskNode> {
    const inputs = job.paths.map(this.#inputAt);
    for (const [i, input] of inputs.entries()) await this.#upload(input, job.paths[i]);
    this.#requireOpen();
    const stored = await putJob(this.#store, job, inputs);
    this.#requireOpen();
    return {
      id: `${this.#build}-${job.spec.kind}-${buildIdOf([job.key])}`,
      build: this.#build,
      task: { kind: 'prepare', job: stored },
      after: [],
      memory: job.memory,
      turn: 0,
    };
  }

  #upload(input: PlannedInput, path: string): Promise<void> {
    return keepUntilFailed(this.#uploads, input.sha256, () =>
      putInputs(this.#store, [input], () => path, silent),
    );
  }

  /**
   * Waits for the worker that has a job, or runs the job here if no worker has begun it. A job that
   * the queue or the store has lost is queued again.
   */
  async #finish(
    job: PreparationJob,
    node: TaskNode,
    onWork: (amount: number) => void,
  ): Promise<JobResult> {
    for (;;) {
      await this.#queue.add(node);
      await pause(POLL_MS);
      this.#requireOpen();
      const state = await this.#queue.jobs.getJobState(node.id);
      if (state === 'failed') {
        // The job stays in the queue, to show the reason of the failure.
        this.#unfinished.delete(node.id);
        throw new BuildError(await this.#queue.failureOf(node.id));
      }
      if (state === 'completed') {
        const value = await this.#receipts.findUnlisted(job.spec.kind, job.key, z.unknown());
        if (value !== null) return { value, notes: await this.#notesOf(node), isKept: true };
      }
      if (this.#freeLocally === 0 || state === 'active') continue;
      this.#freeLocally--;
      try {
        if (await this.#queue.removeUnlessBegun(node.id)) return await this.#local.run(job, onWork);
      } finally {
        this.#freeLocally++;
      }
    }
  }

  /** The notes that the worker returned with a job. */
  async #notesOf({ id }: TaskNode): Promise<readonly string[]> {
    const done = await this.#queue.jobs.getJob(id);
    const returned = taskResultSchema.safeParse(done?.returnvalue);
    return returned.success ? returned.data.notes : [];
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error('the preparation has ended');
  }
}
