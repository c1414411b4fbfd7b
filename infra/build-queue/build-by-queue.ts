import { jobsOf } from '../../builder/build-jobs.ts';
import { type BuildRequest, pathsIn } from '../../builder/build-request.ts';
import { type PendingPlan, planRelease } from '../../builder/plan/make-plan.ts';
import { putInputs } from '../../builder/plan/shared-inputs.ts';
import { openPreparationPool } from '../../builder/prepare/preparation-pool.ts';
import type { Progress } from '../../builder/progress.ts';
import { beginLease } from '../../builder/publish/leases.ts';
import { withBuildsLocked } from '../../builder/publish/locks.ts';
import { requireStore } from '../../builder/publish/output.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { counted } from '../../shards/number-words.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { QueuePreparationPool } from './prepare-by-queue.ts';
import { BuildQueue } from './queue.ts';
import { buildOf, submitBuild } from './submit.ts';
import { watchBuild } from './watch.ts';

/** Maximum wait while another build publishes. */
const PLAN_WAITS_MS = 60_000;

/**
 * Plans a release in this process, with workers for its preparation if there are any, copies the
 * inputs that they need into the store, and queues the build's jobs. With `watch`, resolves to true
 * once the release is published; otherwise, resolves to false once the jobs are queued.
 */
export async function buildByQueue(
  request: BuildRequest,
  { queue: address, watch = false }: { readonly queue: string; readonly watch?: boolean },
  store: WritableStore,
  progress: Progress,
): Promise<boolean> {
  await requireStore(store, pathsIn(request));
  const queue = await BuildQueue.open(address, store, progress.note);
  try {
    const refusal = (owner: string) =>
      `another build (${owner}) is writing to it; wait for it, or give another --out`;
    const patience = { ms: PLAN_WAITS_MS, onWait: progress.note };
    const planLocally = async () => {
      const openPool = (plan: PendingPlan) =>
        new QueuePreparationPool(queue, store, plan, openPreparationPool(store, request));
      const receipts = new Receipts(store);
      const planned = await planRelease(request, store, progress, receipts, openPool);
      await putInputs(store, planned.plan.inputs.elevation, planned.pathOf, progress);
      await beginLease(store, buildOf(planned.ref, request), { onWait: progress.note });
      return planned;
    };
    return await queue.whilePlanning(async () => {
      const plan = await withBuildsLocked(store, refusal, planLocally, patience);
      const jobs = jobsOf(plan, request.unitBlocks);
      const units = jobs.units.length;
      for (;;) {
        const submitted = await submitBuild(queue, plan.ref, request, jobs);
        progress.note(
          `build ${submitted.build}: ${counted(units, 'unit')}, ${submitted.wasThere ? 'already queued' : 'queued'}; it continues without this command, which can be run again to reattach`,
        );
        if (!watch) return false;
        const ended = await watchBuild(queue, { ...submitted, units }, progress);
        if (ended === 'done') return true;
        progress.note('the queue has lost the build; queuing it again');
      }
    });
  } finally {
    await queue.close();
  }
}
