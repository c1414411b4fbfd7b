import { randomUUID } from 'node:crypto';
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
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import {
  type BuildQueue,
  type BuildQueueJob,
  jobReturnSchema,
  removeIfUnstarted,
} from './queue.ts';
import { storeNameOf } from './queued-job.ts';
import { jobOptions } from './submit.ts';

/** Jobs that are in the queue at once: more than workers could have threads. */
const QUEUED_JOBS = 1_000;
const POLL_MS: Millis = 500;

/** Hex digits of the id that the preparation jobs of a plan share. */
const ID_DIGITS = 16;

/**
 * Opens a pool that queues preparation jobs for workers, and runs those that no worker has begun on
 * `local`, another pool, which it closes. So jobs are done without workers too, and those of a
 * worker that dies are done by whichever is free first. Inputs reach workers through the store.
 */
export function openQueuedPreparation(
  queue: BuildQueue,
  store: WritableStore,
  { key, inputAt }: PendingPlan,
  local: PreparationPool,
): PreparationPool {
  const build = key.slice(0, ID_DIGITS);
  const storeName = storeNameOf(store);
  // A command that was killed while it planned the same may have left some.
  const cleared = queue.removeUnstarted(
    ({ data }) => 'preparation' in data && data.build === build && data.storeName === storeName,
  );
  cleared.catch(() => {});
  const receipts = new Receipts(store);
  /** By the content of the input, which many jobs read. */
  const uploads = new Map<string, Promise<void>>();
  const runs: Promise<unknown>[] = [];
  const unfinished = new Set<BuildQueueJob>();
  let freeLocally = local.width;
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
  const enqueue = async (job: PreparationJob) => {
    await cleared;
    const inputs = job.paths.map(inputAt);
    for (const [i, input] of inputs.entries()) await upload(input, job.paths[i]);
    requireOpen();
    const preparation = await putJob(store, job, inputs);
    requireOpen();
    const id = `${build}-${randomUUID().slice(0, 8)}-${job.spec.kind}`;
    const queued = await queue.jobs.add(
      'prepare',
      { build, storeName, preparation },
      jobOptions(id),
    );
    unfinished.add(queued);
    return queued;
  };
  const finish = async (
    job: PreparationJob,
    queued: BuildQueueJob,
    onWork: (amount: number) => void,
  ): Promise<JobResult> => {
    for (;;) {
      await pause(POLL_MS);
      requireOpen();
      const state = await queued.getState();
      if (state === 'failed') {
        // Stays in the queue, as the reason of the failure.
        unfinished.delete(queued);
        throw new BuildError(await queue.failureOf(queued.id!));
      }
      if (state === 'completed') {
        const value = await receipts.findUnlisted(job.spec.kind, job.key, z.unknown());
        if (value !== null) return { value, notes: await notesOf(queue, queued), isKept: true };
      }
      if (freeLocally === 0) continue;
      freeLocally--;
      try {
        if (await removeIfUnstarted(queued)) return await local.run(job, onWork);
      } finally {
        freeLocally++;
      }
    }
  };
  const prepare = async (job: PreparationJob, onWork: (amount: number) => void) => {
    const queued = await enqueue(job);
    const result = await finish(job, queued, onWork);
    unfinished.delete(queued);
    return result;
  };
  return {
    width: QUEUED_JOBS,
    run(job, onWork) {
      const run = prepare(job, onWork);
      runs.push(run);
      return run;
    },
    async close() {
      isClosed = true;
      await local.close();
      await Promise.allSettled(runs);
      // A queue that is away keeps them: the next command that plans the same removes them.
      for (const queued of unfinished) await removeIfUnstarted(queued).catch(() => false);
      // If this fails, the lease expires.
      await endLease(store, build).catch(() => {});
    },
  };
}

/** The notes that the worker returned with a job. */
async function notesOf(queue: BuildQueue, { id }: BuildQueueJob): Promise<readonly string[]> {
  const done = await queue.jobs.getJob(id!);
  const returned = jobReturnSchema.safeParse(done?.returnvalue);
  return returned.success ? returned.data.notes : [];
}
