import type { CountyFips } from '../../shards/units.ts';
import type { Progress } from '../progress.ts';
import type { TaskResult } from './run-task.ts';
import type { Task, TaskNode } from './task.ts';

/** Runs tasks: by the threads of this process, or on other machines. */
export interface Executor {
  /**
   * Runs a task, after those before it are done. Its outcome is its receipt. `progress` receives
   * the stages of the task, as far as they are known here. Rejects with a `BuildError` if the task
   * cannot be done; no other task begins then.
   */
  run(node: TaskNode, progress?: Progress): Promise<TaskResult>;
  /** Breaks off what is running. */
  close(): Promise<void>;
}

export type OpenExecutor = () => Executor | Promise<Executor>;

/**
 * Runs a graph of tasks by its last one: each as soon as those before it are done. Skips the tasks
 * before one that `isDone`. Returns the counties that were searched.
 */
export async function perform(
  root: TaskNode,
  executor: Executor,
  isDone: (task: Task) => Promise<boolean>,
): Promise<CountyFips[]> {
  const searched = new Set<CountyFips>();
  const begun = new Map<string, Promise<void>>();
  const finish = async (node: TaskNode) => {
    if (await isDone(node.task)) return;
    await Promise.all(node.after.map(begin));
    for (const county of (await executor.run(node)).searched) searched.add(county);
  };
  const begin = (node: TaskNode): Promise<void> => {
    const there = begun.get(node.id) ?? finish(node);
    begun.set(node.id, there);
    return there;
  };
  await begin(root);
  return [...searched].sort();
}
