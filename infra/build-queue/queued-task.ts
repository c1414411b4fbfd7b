import { z } from 'zod';
import { nameOf, taskSchema } from '../../builder/tasks/task.ts';

/** Schema of the data of a job in the queue, which anyone with access to its Redis can write. */
export const queuedTaskSchema = z.strictObject({
  /** See `TaskNode`. */
  build: z.string().regex(/^[0-9a-f]{16}$/),
  task: taskSchema,
  memory: z.number().min(0),
  /** The memory of the largest worker on which it was not enough. */
  exhausted: z.number().optional(),
});
export type QueuedTask = z.infer<typeof queuedTaskSchema>;

/** Describes a job for the log. */
export function describeJob({ build, task }: QueuedTask): string {
  if (task.kind === 'prepare') return `prepare ${task.job.name} of build ${build}`;
  if (task.kind === 'table') {
    const { table, county } = task.table;
    return `export ${table}${county === null ? '' : ` of ${county}`} of build ${build}`;
  }
  return `${nameOf(task)} for ${task.request.release} of build ${build}`;
}
