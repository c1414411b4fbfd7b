import type { z } from 'zod';
import type { PreparationByJobs } from './preparation.ts';
import type { PreparationTask } from './preparation-job.ts';
import { inThisThread } from './preparation-pool.ts';

/**
 * The results of jobs, in their order. Those that have a receipt are found by it; the others run,
 * several at a time, and each leaves its receipt as soon as it is done. After a failure no other
 * job begins. `onWork` gets amounts that add up to the `work` of all jobs.
 */
export async function prepareByJobs<T extends z.ZodType>(
  tasks: readonly PreparationTask[],
  schema: T,
  { store, receipts, progress, pool }: PreparationByJobs,
  onWork: (amount: number) => void,
): Promise<z.infer<T>[]> {
  const parts = new Map<PreparationTask, z.infer<T>>();
  for (const task of tasks) {
    const kept = await receipts.find(task.job.kind, task.key, schema);
    if (kept === null) continue;
    parts.set(task, kept);
    onWork(task.work);
  }
  const missing = tasks.filter((task) => !parts.has(task));
  // Other threads would take longer to start than a single job gains by them.
  const { width, run } = missing.length > 1 ? pool : inThisThread(store);
  const left = eachOf(missing);
  const runThemInTurn = async () => {
    for (const task of left) {
      let before = 0;
      const { part, notes } = await run(task, (amount) => {
        before += amount;
        onWork(amount);
      });
      onWork(task.work - before);
      notes.forEach(progress.note);
      await receipts.keep(task.job.kind, task.key, part);
      parts.set(task, schema.parse(part));
    }
  };
  const turns = Array.from({ length: Math.min(width, missing.length) }, runThemInTurn);
  await Promise.all(turns);
  return tasks.map((task) => parts.get(task)!);
}

/** An iterator that several loops share: each item goes to one, and a loop that fails ends all. */
function* eachOf<Item>(items: readonly Item[]): Generator<Item> {
  yield* items;
}
