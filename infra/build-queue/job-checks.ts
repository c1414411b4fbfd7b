import { UnrecoverableError } from 'bullmq';
import { requireThisProgram } from '../../builder/plan/program-version.ts';
import { readPlan } from '../../builder/plan/release-plan.ts';
import { readJob } from '../../builder/plan/stored-job.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import { describe } from '../errors.ts';
import type { BuildQueueJob } from './queue.ts';
import { parseQueued, programIn, type Queued } from './queued-job.ts';

/**
 * Parses a job. Throws an `UnrecoverableError` for an invalid job, which then fails without
 * retries.
 */
export function parseJob({ id, data }: BuildQueueJob): Queued {
  const program = programIn(data);
  if (program !== null) requireOwn({ name: `job ${id}` }, program);
  const parsed = parseQueued(data);
  if (parsed.success) return parsed.data;
  const [{ path: where, message }] = parsed.error.issues;
  throw new UnrecoverableError(
    `job ${id}: ${[...where, message].join(': ')}; not a job of this version’s \`tta build --queue\` or \`tta export --queue\``,
  );
}

/**
 * Throws an error unless this version of the program made an object. A retry may be by a worker of
 * the other version.
 */
function requireOwn(ref: Pick<ObjectRef, 'name'>, program: string): void {
  try {
    requireThisProgram({ ref, plan: { program } });
  } catch (error) {
    throw new Error(describe(error), { cause: error });
  }
}

/**
 * Returns the reason why this worker cannot run a job that another worker may be able to run; null
 * if it can. Throws an `UnrecoverableError` for a job that no worker of this queue can run, which
 * then fails without retries.
 */
export async function obstacleTo(queued: Queued, store: Store): Promise<string | null> {
  const ref = objectOf(queued);
  try {
    requireOwn(ref, (await madeBy(queued, store)).program);
    return null;
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') {
      throw new UnrecoverableError(
        `${ref.name} has been removed from ${store.location}; run the command that queued the job again`,
      );
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
