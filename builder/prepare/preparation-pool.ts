import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { openWritableStore } from '../../shards/store/open-store.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { DEFAULT_MEMORY, type Resources } from '../build-request.ts';
import { openThreads, type ThreadPool } from '../threads/pool.ts';
import { BASE_BYTES, MemoryLimit, THREAD_BYTES } from './memory-limit.ts';
import type { JobResult, PreparationPool } from './preparation.ts';
import type { PreparationJob } from './preparation-job.ts';
import { runPreparationJob } from './run-preparation-job.ts';

/** Memory of a small job. */
const JOB_BYTES: Bytes = 200 * 2 ** 20;

/** The input of a thread for each job. */
interface ThreadRequest {
  readonly job: PreparationJob;
  /** Receives amounts of work that are done. */
  readonly port: MessagePort;
}

/** Returns a pool that runs jobs in the current thread. Closing it waits for the running job. */
export function inThisThread(store: WritableStore): PreparationPool {
  let running: Promise<unknown> = Promise.resolve();
  return {
    width: 1,
    async run({ spec, paths }, onWork) {
      const notes: string[] = [];
      const note = (line: string) => void notes.push(line);
      const result = runPreparationJob(spec, paths, { store, note, onWork });
      running = result.catch(() => {});
      return { value: await result, notes, isKept: false };
    },
    async close() {
      await running;
    },
  };
}

/** Opens the work of a thread on the store at a location. */
export async function openWork(location: string) {
  const pool = inThisThread(await openWritableStore(location));
  return async ({ job, port }: ThreadRequest): Promise<JobResult> => {
    try {
      return await pool.run(job, (amount) => port.postMessage(amount));
    } finally {
      port.close();
    }
  };
}

/**
 * Opens a pool of up to `workers` threads that run as many jobs at once as memory allows, at least
 * one. With one thread, jobs run in the calling thread. Otherwise, threads start with the first job
 * and run compiled code, so request only one when running from source.
 */
export function openPreparationPool(
  store: WritableStore,
  { workers = 1, memory = DEFAULT_MEMORY }: Resources,
): PreparationPool {
  const fitting = Math.floor((memory - BASE_BYTES) / (THREAD_BYTES + JOB_BYTES));
  const count = Math.min(workers, fitting);
  if (count <= 1) return inThisThread(store);
  const memoryLimit = new MemoryLimit(memory - BASE_BYTES - count * THREAD_BYTES);
  let opened: ThreadPool<ThreadRequest, JobResult> | null = null;
  const threads = () => {
    const module = new URL('./preparation-pool.js', import.meta.url);
    opened ??= openThreads(module, count, store.location);
    return opened;
  };
  return {
    width: count,
    run: (job, onWork) =>
      memoryLimit.run(job.memory, async () => {
        const { port1, port2 } = new MessageChannel();
        port1.on('message', onWork);
        try {
          return await threads().run({ job, port: port2 }, [port2]);
        } finally {
          port1.close();
        }
      }),
    close: async () => opened?.close(),
  };
}
