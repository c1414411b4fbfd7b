import { createHash, randomUUID } from 'node:crypto';
import type { FlowJob, JobsOptions } from 'bullmq';
import type { BuildJob, BuildJobs } from '../../builder/build-jobs.ts';
import type { ReleaseRequest } from '../../builder/build-request.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { type BuildQueue, UNFINISHED_STATES } from './queue.ts';
import type { QueuedJob } from './queued-job.ts';
import { ATTEMPTS } from './retries.ts';

/** Seconds that finished jobs are kept for inspection. */
const KEEP_S = 7 * 86_400;
const NAME_DIGITS = 16;

/** A build in the queue. */
interface Submitted {
  readonly build: string;
  /** Id of the job that runs last. */
  readonly root: string;
  /** Whether the build was in the queue already. */
  readonly wasThere: boolean;
}

/** Options of a job with this id. */
export function jobOptions(jobId: string): JobsOptions {
  return {
    jobId,
    attempts: ATTEMPTS,
    // Computed by the worker's `pauseAfterMs`.
    backoff: { type: 'custom' },
    removeOnComplete: { age: KEEP_S },
    removeOnFail: { age: KEEP_S },
  };
}

/** Id of a build: the same for the same release of the same plan. */
export function buildOf(
  plan: ObjectRef,
  { release, tiles = true, directions = DIRECTIONS }: ReleaseRequest,
): string {
  const options = [plan.sha256, release, tiles, directions];
  const digest = createHash('sha256').update(JSON.stringify(options)).digest('hex');
  return digest.slice(0, NAME_DIGITS);
}

/**
 * Queues a build's jobs, each after those it depends on, unless the build is already in progress.
 * The worker that gets a job detects work that is already done.
 */
export async function submitBuild(
  queue: BuildQueue,
  plan: ObjectRef,
  request: ReleaseRequest,
  { units, join, publish }: BuildJobs,
): Promise<Submitted> {
  const { release, tiles = true, directions = DIRECTIONS } = request;
  const build = buildOf(plan, request);
  const { jobs, flows } = queue;
  await queue.renew(build);
  for (const job of await jobs.getJobs([...UNFINISHED_STATES])) {
    if (job?.name !== 'publish' || job.data.build !== build) continue;
    return { build, root: job.id!, wasThere: true };
  }
  // A failed build may be retried while its old jobs are still in the queue.
  const attempt = randomUUID().slice(0, 8);
  const flowOf = (job: BuildJob, name: string, children: FlowJob[], parent: boolean): FlowJob => ({
    name: job.kind,
    queueName: queue.name,
    data: {
      build,
      plan,
      request: { release, tiles, directions },
      job,
    } satisfies QueuedJob,
    opts: {
      ...jobOptions(`${build}-${attempt}-${name}`),
      ...(parent && { failParentOnFailure: true }),
    },
    children,
  });
  const unitFlows = units.map((unit) => flowOf(unit, `unit-${unit.counties[0]}`, [], true));
  const { job } = await flows.add(
    flowOf(publish, 'publish', [flowOf(join, 'join', unitFlows, true)], false),
  );
  return { build, root: job.id!, wasThere: false };
}
