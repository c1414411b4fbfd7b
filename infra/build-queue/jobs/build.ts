import path from 'node:path';
import { runBuildJob } from '../../../builder/build-jobs.ts';
import { readPlan } from '../../../builder/plan/release-plan.ts';
import { fetchInputs } from '../../../builder/plan/shared-inputs.ts';
import { PUBLISH_WAIT_MS, withBuildsLocked } from '../../../builder/publish/locks.ts';
import { Receipts } from '../../../builder/receipts/receipts.ts';
import type { QueuedJob } from '../queued-job.ts';
import type { ThreadContext } from './thread-context.ts';

/** Runs a unit, the join or the publication of a build; returns the counties it has searched. */
export async function runOfBuild(
  { job, plan: ref, request }: QueuedJob,
  { store, folder, workers, memory, progress }: ThreadContext,
): Promise<readonly string[]> {
  const { release, tiles, directions } = request;
  const plan = await readPlan(store, ref);
  const pathOf =
    job.kind === 'unit'
      ? await fetchInputs(store, plan.plan.inputs.elevation, folder, progress)
      : () => {
          throw new Error('only units read inputs');
        };
  const context = {
    release,
    tiles,
    directions,
    workers,
    memory,
    plan,
    pathOf,
    store,
    progress,
    receipts: new Receipts(store),
    scratch: path.join(folder, 'scratch'),
  };
  const perform = () => runBuildJob(job, context);
  const refusal = (owner: string) => `a build (${owner}) is writing to it`;
  const onWait = (problem: string) => {
    progress.note(`${problem}; waiting for up to an hour`);
    progress.start('waiting for another build', null, 'looks');
  };
  return job.kind === 'publish'
    ? withBuildsLocked(store, refusal, perform, { ms: PUBLISH_WAIT_MS, onWait })
    : perform();
}
