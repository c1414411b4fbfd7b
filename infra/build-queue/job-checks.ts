import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import { requireThisProgram } from '../../builder/plan/program-version.ts';
import { readPlan } from '../../builder/plan/release-plan.ts';
import { readJob } from '../../builder/plan/stored-job.ts';
import type { Task } from '../../builder/tasks/task.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import type { Store } from '../../shards/store/store.ts';
import { describe } from '../errors.ts';
import type { BuildQueueJob } from './queue.ts';
import { type QueuedTask, queuedTaskSchema } from './queued-task.ts';

/** Schema of tasks that state their program, in any version. */
const ofProgramSchema = z.object({ task: z.object({ program: z.string() }) });

/**
 * Parses the data of a job. Throws an `UnrecoverableError` for an invalid job, which then fails
 * without retries.
 */
export function parseJob({ id, data }: BuildQueueJob): QueuedTask {
  const made = ofProgramSchema.safeParse(data).data?.task;
  if (made !== undefined) requireOwn(`job ${id}`, made.program);
  const parsed = queuedTaskSchema.safeParse(data);
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
function requireOwn(name: string, program: string): void {
  try {
    requireThisProgram({ ref: { name }, plan: { program } });
  } catch (error) {
    throw new Error(describe(error), { cause: error });
  }
}

/**
 * Returns the reason why this worker cannot run a task that another worker may be able to run; null
 * if it can. Throws an `UnrecoverableError` for a task that no worker of this queue can run, which
 * then fails without retries.
 */
export async function obstacleTo(task: Task, store: Store): Promise<string | null> {
  const name = objectOf(task);
  try {
    requireOwn(name, await programOf(task, store));
    return null;
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'missing') {
      throw new UnrecoverableError(
        `${name} has been removed from ${store.location}; run the command that queued the job again`,
      );
    }
    if (error instanceof ShardError) return describe(error);
    throw error;
  }
}

/** Name of the object that a task reads first. */
function objectOf(task: Task): string {
  if (task.kind === 'prepare') return task.job.name;
  return task.kind === 'table' ? task.latest.manifest : task.plan.name;
}

/**
 * The version of the program that queued a task. Throws a `StoreError` if the object of the task is
 * missing.
 */
async function programOf(task: Task, store: Store): Promise<string> {
  if (task.kind === 'prepare') return (await readJob(store, task.job)).program;
  if (task.kind !== 'table') return (await readPlan(store, task.plan)).plan.program;
  await readManifest(store, task.latest.manifest, task.latest.sha256);
  return task.program;
}
