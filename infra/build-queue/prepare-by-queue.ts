import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { BuildError } from '../../builder/errors.ts';
import type { PlanUnderWay } from '../../builder/plan/make-plan.ts';
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
  const underWay = new Set<BuildQueueJob>();
  let freeHere = here.width;
  let isClosed = false;

  const enqueue = async (task: PreparationTask) => {
    const inputs = task.paths.map(inputAt);
    await putInputs(store, inputs, (input) => task.paths[inputs.indexOf(input)], silent);
    const preparation = await putTask(store, task, inputs);
    const id = `${build}-${randomUUID().slice(0, 8)}-${task.job.kind}`;
    const job = await queue.jobs.add('prepare', { build, preparation }, jobOptions(id));
    underWay.add(job);
    return job;
  };
  const finish = async (
    task: PreparationTask,
    job: BuildQueueJob,
    onWork: (amount: number) => void,
  ): Promise<PreparedPart> => {
    while (!isClosed) {
      await pause(LOOK_MS);
      const state = await job.getState();
      if (state === 'failed') throw new BuildError(await queue.whyFailed(job.id!));
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
    throw new Error('the preparation has ended');
  };
  return {
    width: AT_ONCE,
    async run(task, onWork) {
      const job = await enqueue(task);
      const part = await finish(task, job, onWork);
      underWay.delete(job);
      return part;
    },
    async close() {
      isClosed = true;
      for (const job of underWay) await takeBack(job);
      // If this fails, the lease expires.
      await endLease(store, build).catch(() => {});
      await here.close();
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
