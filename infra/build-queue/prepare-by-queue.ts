import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { BuildError } from '../../builder/errors.ts';
import type { PlanUnderWay } from '../../builder/plan/make-plan.ts';
import type { PlannedInput } from '../../builder/plan/planned-input.ts';
import { putInputs } from '../../builder/plan/shared-inputs.ts';
import { putTask } from '../../builder/plan/stored-task.ts';
import type { PreparationPool, PreparedPart } from '../../builder/prepare/preparation.ts';
import type { PreparationTask } from '../../builder/prepare/preparation-job.ts';
import { silent } from '../../builder/progress.ts';
import { endLease } from '../../builder/publish/leases.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { BuildQueue, BuildQueueJob } from './queue.ts';
import { jobOptions } from './submit.ts';

/** More than workers could have threads. */
const AT_ONCE = 1_000;
const LOOK_MS = 500;

/** Hex digits of the id that the preparation jobs of a plan share. */
const ID_DIGITS = 16;

/**
 * Opens a pool that queues preparation jobs for workers, and runs those that no worker has begun on
 * `here`, another pool, which it closes. So jobs are done without workers too, and those of a
 * worker that dies are done by whichever is free first. Inputs reach workers through the store.
 */
export function openQueuedPreparation(
  queue: BuildQueue,
  store: WritableStore,
  { key, inputAt }: PlanUnderWay,
  here: PreparationPool,
): PreparationPool {
  const build = key.slice(0, ID_DIGITS);
  const receipts = new Receipts(store);
  /** By the content of the input, which many jobs read. */
  const uploads = new Map<string, Promise<void>>();
  const runs: Promise<unknown>[] = [];
  const unfinished = new Set<BuildQueueJob>();
  let freeHere = here.width;
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw new Error('the preparation has ended');
  };

  const upload = (input: PlannedInput, path: string): Promise<void> => {
    const known = uploads.get(input.sha256);
    if (known) return known;
    const begun = putInputs(store, [input], () => path, silent);
    uploads.set(input.sha256, begun);
    return begun;
  };
  const enqueue = async (task: PreparationTask) => {
    const inputs = task.paths.map(inputAt);
    for (const [i, input] of inputs.entries()) await upload(input, task.paths[i]);
    requireOpen();
    const preparation = await putTask(store, task, inputs);
    requireOpen();
    const id = `${build}-${randomUUID().slice(0, 8)}-${task.job.kind}`;
    const job = await queue.jobs.add('prepare', { build, preparation }, jobOptions(id));
    unfinished.add(job);
    return job;
  };
  const finish = async (
    task: PreparationTask,
    job: BuildQueueJob,
    onWork: (amount: number) => void,
  ): Promise<PreparedPart> => {
    for (;;) {
      await pause(LOOK_MS);
      requireOpen();
      const state = await job.getState();
      if (state === 'failed') {
        // Stays in the queue, as the reason of the failure.
        unfinished.delete(job);
        throw new BuildError(await queue.whyFailed(job.id!));
      }
      if (state === 'completed') {
        const part = await receipts.findAnew(task.job.kind, task.key, z.unknown());
        if (part !== null) return { part, notes: [] };
      }
      if (freeHere === 0) continue;
      freeHere--;
      try {
        if (await takeBack(job)) return await here.run(task, onWork);
      } finally {
        freeHere++;
      }
    }
  };
  const prepare = async (task: PreparationTask, onWork: (amount: number) => void) => {
    const job = await enqueue(task);
    const part = await finish(task, job, onWork);
    unfinished.delete(job);
    return part;
  };
  return {
    width: AT_ONCE,
    run(task, onWork) {
      const run = prepare(task, onWork);
      runs.push(run);
      return run;
    },
    async close() {
      isClosed = true;
      await here.close();
      await Promise.allSettled(runs);
      for (const job of unfinished) await takeBack(job);
      // If this fails, the lease expires.
      await endLease(store, build).catch(() => {});
    },
  };
}

/** Removes a job from the queue, unless a worker is at it; returns whether it did. */
function takeBack(job: BuildQueueJob): Promise<boolean> {
  return job.remove().then(
    () => true,
    () => false,
  );
}
