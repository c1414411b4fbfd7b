import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { DEFAULT_MEMORY, type Means } from '../build-request.ts';
import { openThreads, type ThreadPool } from '../threads/pool.ts';
import { MemoryShares } from './memory-shares.ts';
import type { PreparationPool, PreparedPart } from './preparation.ts';
import type { PreparationTask } from './preparation-job.ts';
import { runPreparationJob } from './run-preparation-job.ts';

/** Memory of the program itself and uncollected garbage; of a thread without a job. */
const BASE_BYTES: Bytes = 350 * 2 ** 20;
const THREAD_BYTES: Bytes = 80 * 2 ** 20;

/** The input of a thread for each job. */
export interface ThreadRequest {
  readonly task: PreparationTask;
  /** Gets amounts of work that are done. */
  readonly port: MessagePort;
}

/** A pool of one: the current thread. */
export function inThisThread(store: WritableStore): PreparationPool {
  return {
    width: 1,
    async run({ job, paths }, onWork) {
      const notes: string[] = [];
      const note = (line: string) => void notes.push(line);
      return { part: await runPreparationJob(job, paths, { store, note, onWork }), notes };
    },
    close: async () => {},
  };
}

/**
 * Opens a pool of threads that run as many jobs at once as memory allows, at least one; a single
 * thread is this one. The others start with the first job and run compiled code: when running from
 * source, request one.
 */
export function openPreparationPool(
  store: WritableStore,
  { workers = 1, memory = DEFAULT_MEMORY }: Means,
): PreparationPool {
  if (workers === 1) return inThisThread(store);
  const shares = new MemoryShares(memory - BASE_BYTES - workers * THREAD_BYTES);
  let opened: ThreadPool<ThreadRequest, PreparedPart> | null = null;
  const threads = () => {
    const module = new URL('./preparation-thread.js', import.meta.url);
    opened ??= openThreads(module, workers, store.location);
    return opened;
  };
  return {
    width: workers,
    run: (task, onWork) =>
      shares.hold(task.memory, async () => {
        const { port1, port2 } = new MessageChannel();
        port1.on('message', onWork);
        try {
          return await threads().run({ task, port: port2 }, [port2]);
        } finally {
          port1.close();
        }
      }),
    close: async () => opened?.close(),
  };
}
