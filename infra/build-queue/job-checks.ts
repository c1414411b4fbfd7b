import { UnrecoverableError } from 'bullmq';
import { requireThisProgram } from '../../builder/plan/program-version.ts';
import { readPlan } from '../../builder/plan/release-plan.ts';
import { readJob } from '../../builder/plan/stored-job.ts';
import type { Progress } from '../../builder/progress.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { describe } from '../errors.ts';
import type { BuildQueueJob } from './queue.ts';
import { describeJob, parseQueued, programIn, type Queued, storeNameOf } from './queued-job.ts';

/**
 * Returns the reason why this worker must not run a job that another version of the program queued,
 * whatever the schema of the job; null for any other job.
 */
export function programProblem({ id, data }: BuildQueueJob): string | null {
  const program = programIn(data);
  if (program === null) return null;
  try {
    requireThisProgram({ ref: { name: `job ${id}` }, plan: { program } });
    return null;
  } catch (error) {
    return describe(error);
  }
}

/**
 * Parses a job. Throws an `UnrecoverableError` for an invalid job, which then fails without
 * retries.
 */
export function parseJob({ id, data }: BuildQueueJob): Queued {
  const parsed = parseQueued(data);
  if (parsed.success) return parsed.data;
  const [{ path: where, message }] = parsed.error.issues;
  throw new UnrecoverableError(
    `job ${id}: ${[...where, message].join(': ')}; not a job of this version’s \`tta build --queue\` or \`tta export --queue\``,
  );
}

/**
 * Returns the reason why this worker cannot run a job that another worker may be able to run; null
 * if it can. Throws an `UnrecoverableError` for a job that no worker can run, which then fails
 * without retries.
 */
export async function obstacleTo(
  queued: Queued,
  store: Store,
  progress: Progress,
): Promise<string | null> {
  const ref = objectOf(queued);
  try {
    requireThisProgram({ ref, plan: await madeBy(queued, store) });
    return null;
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') {
      if (queued.storeName === storeNameOf(store)) {
        const gone = `${ref.name} has been removed from ${store.location}; run the command that queued the job again`;
        progress.note(`job ${describeJob(queued)} failed: ${gone}`);
        throw new UnrecoverableError(gone);
      }
      return `${store.location}: has no ${ref.name}, which a job in the queue reads; the build uses a different store from this worker`;
    }
    if (error instanceof ShardError) return describe(error);
    throw error;
  }
}

/** Returns the object that a job reads first. */
function objectOf(queued: Queued): Pick<ObjectRef, 'name'> {
  if ('preparation' in queued) return queued.preparation;
  return 'job' in queued ? queued.plan : { name: queued.latest.manifest };
}

/**
 * The version of the program that queued a job. Throws a `StoreError` if the object of the job is
 * missing.
 */
async function madeBy(queued: Queued, store: Store): Promise<{ readonly program: string }> {
  if ('preparation' in queued) return readJob(store, queued.preparation);
  if ('job' in queued) return (await readPlan(store, queued.plan)).plan;
  await readManifest(store, queued.latest.manifest, queued.latest.sha256);
  return queued;
}
