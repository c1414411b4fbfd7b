import { jobsOf } from '../../builder/build-jobs.ts';
import { type BuildRequest, pathsIn } from '../../builder/build-request.ts';
import { planRelease } from '../../builder/plan/make-plan.ts';
import { putInputs } from '../../builder/plan/shared-inputs.ts';
import type { Progress } from '../../builder/progress.ts';
import { beginLease } from '../../builder/publish/leases.ts';
import { withBuildsLocked } from '../../builder/publish/locks.ts';
import { requireStore } from '../../builder/publish/output.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { counted } from '../../shards/number-words.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { BuildQueue } from './queue.ts';
import { buildOf, submitBuild } from './submit.ts';
import { watchBuild } from './watch.ts';

/** Maximum wait while another build publishes. */
const PLAN_WAITS_MS = 60_000;

/**
 * Plans a release here, copies the inputs that workers need into the store, and queues the build's
 * jobs. With `watch`, resolves to true once the release is published; otherwise resolves
 * immediately.
 */
export async function buildByQueue(
  request: BuildRequest,
  { queue: address, watch = false }: { readonly queue: string; readonly watch?: boolean },
  store: WritableStore,
  progress: Progress,
): Promise<boolean> {
  await requireStore(store, pathsIn(request));
  const queue = await BuildQueue.open(address);
  try {
    const refusal = (owner: string) =>
      `another build (${owner}) is writing to it; wait for it, or give another --out`;
    const patience = { ms: PLAN_WAITS_MS, onWait: progress.note };
    const planHere = async () => {
      const planned = await planRelease(request, store, progress, new Receipts(store));
      await putInputs(store, planned.plan, planned.pathOf, progress);
      await beginLease(store, buildOf(planned.ref, request));
      return planned;
    };
    const { pathOf, ...plan } = await withBuildsLocked(store, refusal, planHere, patience);
    const jobs = jobsOf(plan, request.unitBlocks);
    for (;;) {
      const submitted = await submitBuild(queue, plan.ref, request, jobs);
      const { build, wasThere } = submitted;
      const units = jobs.units.length;
      progress.note(
        `build ${build}: ${counted(units, 'unit')}, ${wasThere ? 'already queued' : 'queued'}; it continues without this command, which can be run again to reattach`,
      );
      if (!watch) return false;
      const ended = await watchBuild(queue, { ...submitted, units }, progress);
      if (ended === 'done') return true;
      progress.note('the queue has lost the build; queuing it again');
    }
  } finally {
    await queue.close();
  }
}
