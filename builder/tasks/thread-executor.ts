import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { DEFAULT_MEMORY, type Resources } from '../build-request.ts';
import type { Progress } from '../progress.ts';
import { OwnReceipts } from '../receipts/receipts.ts';
import { BASE_BYTES, MemoryLimit, THREAD_BYTES } from '../threads/memory-limit.ts';
import type { Executor } from './executor.ts';
import { runTask, type TaskResult } from './run-task.ts';
import { nameOf, type TaskNode, usesAllThreads } from './task.ts';
import { openTaskPool, type TaskPool } from './task-pool.ts';

const TASK_BYTES: Bytes = 200 * 2 ** 20;

/**
 * Runs tasks in this process, as many at once as memory allows, at least one. A task that uses all
 * threads, or that comes alone, runs in the calling thread, since other threads would take longer
 * to start than it gains by them. With one thread, all do. Others start with the first task that
 * needs them and run compiled code, so request only one when running from source.
 */
export class ThreadExecutor implements Executor {
  readonly #store: WritableStore;
  readonly #resources: Resources;
  readonly #progress: Progress;
  readonly #receipts: OwnReceipts;
  readonly #threads: number;
  readonly #memory: Bytes;
  readonly #limit: MemoryLimit;
  readonly #open = new Set<Promise<TaskResult>>();
  #pool: TaskPool | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(
    store: WritableStore,
    { workers = 1, memory = DEFAULT_MEMORY, scratch }: Resources,
    progress: Progress,
    receipts = new OwnReceipts(store),
  ) {
    this.#store = store;
    this.#resources = { workers, memory, ...(scratch !== undefined && { scratch }) };
    this.#progress = progress;
    this.#receipts = receipts;
    const fitting = Math.floor((memory - BASE_BYTES) / (THREAD_BYTES + TASK_BYTES));
    this.#threads = Math.max(1, Math.min(workers, fitting));
    this.#memory = memory - BASE_BYTES - this.#threads * THREAD_BYTES;
    this.#limit = new MemoryLimit(this.#memory);
  }

  run(node: TaskNode, progress = this.#progress): Promise<TaskResult> {
    const result = this.#inTurn(node, progress);
    this.#open.add(result);
    const end = () => void this.#open.delete(result);
    result.then(end, end);
    return result;
  }

  async close(): Promise<void> {
    this.#failure ??= { error: new Error('the tasks were broken off') };
    await this.#pool?.close();
    await Promise.allSettled(this.#open);
  }

  async #inTurn(node: TaskNode, progress: Progress): Promise<TaskResult> {
    // Tasks that are added together are counted together.
    await turnOfLoop();
    const isAlone = this.#open.size === 1;
    const runsHere = isAlone || this.#threads === 1 || usesAllThreads(node.task);
    return this.#limit.run(runsHere ? this.#memory : node.memory, async () => {
      if (this.#failure) throw this.#failure.error;
      try {
        if (!runsHere) return await this.#threadsOf().run(node.task, node.inputs, progress);
        if (node.task.kind === 'unit' && !isAlone) progress.note(nameOf(node.task));
        return await this.#runHere(node, progress);
      } catch (error) {
        this.#failure ??= { error };
        throw error;
      }
    });
  }

  #runHere({ task, inputs }: TaskNode, progress: Progress): Promise<TaskResult> {
    return runTask(task, {
      ...this.#resources,
      store: this.#store,
      progress,
      receipts: this.#receipts,
      localInputs: async () => inputs,
    });
  }

  #threadsOf(): TaskPool {
    const { memory, scratch } = this.#resources;
    const thread = { store: this.#store.location, workers: 1, memory, scratch };
    this.#pool ??= openTaskPool(thread, this.#threads);
    return this.#pool;
  }
}
