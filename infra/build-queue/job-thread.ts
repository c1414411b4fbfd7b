import { parentPort, workerData } from 'node:worker_threads';
import type { Progress } from '../../builder/progress.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { describe } from '../errors.ts';
import type { ThreadContext, ThreadMeans } from './jobs/thread-context.ts';
import type { JobReturn } from './queue.ts';
import type { Queued } from './queued-job.ts';
import { isTransient } from './retries.ts';

/** The data that a job thread starts with; each message to it is a job, as parsed by the worker. */
export interface ThreadInput extends ThreadMeans {
  /** The location of the store. */
  readonly store: string;
}

/** Messages from a job thread; `done` or `failed` is the last of a job. */
export type ThreadMessage =
  | { readonly kind: 'note'; readonly line: string }
  | {
      readonly kind: 'start';
      readonly stage: string;
      readonly total: number | null;
      readonly unit: string;
    }
  | { readonly kind: 'at'; readonly done: number }
  | { readonly kind: 'finish'; readonly summary?: string }
  | { readonly kind: 'done'; readonly result: JobReturn }
  /** `isFinal` means that retrying would not help. */
  | { readonly kind: 'failed'; readonly message: string; readonly isFinal: boolean };

const send = (message: ThreadMessage) => parentPort!.postMessage(message);

const progress: Progress = {
  note: (line) => send({ kind: 'note', line }),
  start(stage, total, unit) {
    send({ kind: 'start', stage, total, unit });
    return {
      at: (done) => send({ kind: 'at', done }),
      finish: (summary) => send({ kind: 'finish', ...(summary !== undefined && { summary }) }),
    };
  },
};

const { store: location, ...means } = workerData as ThreadInput;

/** Runs a job, after loading the code that its kind needs. */
async function perform(queued: Queued, context: ThreadContext): Promise<JobReturn> {
  if ('preparation' in queued) {
    const { runPreparation } = await import('./jobs/preparation.ts');
    return { searched: [], notes: await runPreparation(queued, context) };
  }
  if ('job' in queued) {
    const { runOfBuild } = await import('./jobs/build.ts');
    return { searched: await runOfBuild(queued, context), notes: [] };
  }
  const { runTable } = await import('./jobs/table.ts');
  await runTable(queued, context);
  return { searched: [], notes: [] };
}

async function run(queued: Queued): Promise<JobReturn> {
  const store = await openWritableStore(location);
  try {
    return await perform(queued, { ...means, store, progress });
  } finally {
    await store.close();
  }
}

parentPort!.on('message', async (queued: Queued) => {
  try {
    send({ kind: 'done', result: await run(queued) });
  } catch (error) {
    send({ kind: 'failed', message: describe(error), isFinal: !isTransient(error) });
  }
});
