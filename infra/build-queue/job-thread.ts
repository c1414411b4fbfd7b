import { parentPort, workerData } from 'node:worker_threads';
import { runBuildJob } from '../../builder/build-jobs.ts';
import { BuildError } from '../../builder/errors.ts';
import { readPlan } from '../../builder/plan/release-plan.ts';
import { fetchInputs } from '../../builder/plan/shared-inputs.ts';
import type { Progress } from '../../builder/progress.ts';
import { whileNoBuildWrites } from '../../builder/publish/sections.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { ShardError } from '../../shards/errors.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import { describe } from '../errors.ts';
import { type QueuedJob, queuedJobSchema } from './queued-job.ts';

/** What a thread is given to do. */
export interface ThreadTask {
  readonly queued: QueuedJob;
  readonly store: string;
  /** Where inputs are kept between jobs. */
  readonly inputs: string;
  readonly workers: number;
  readonly memory: number;
}

/** What a thread tells. */
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
  | { readonly kind: 'done'; readonly searched: readonly string[] }
  /** `isFinal`: to try again would not help. */
  | { readonly kind: 'failed'; readonly message: string; readonly isFinal: boolean };

const tell = (message: ThreadMessage) => parentPort!.postMessage(message);

const progress: Progress = {
  note: (line) => tell({ kind: 'note', line }),
  start(stage, total, unit) {
    tell({ kind: 'start', stage, total, unit });
    return {
      at: (done) => tell({ kind: 'at', done }),
      finish: (summary) => tell({ kind: 'finish', ...(summary !== undefined && { summary }) }),
    };
  },
};

const { queued, inputs, workers, memory, store: location } = workerData as ThreadTask;
const { job, plan: ref, request } = queuedJobSchema.parse(queued);
const { release, tiles, directions } = request;
const store = await openWritableStore(location);
try {
  const plan = await readPlan(store, ref);
  const pathOf =
    job.kind === 'unit'
      ? await fetchInputs(store, plan.plan, inputs, progress)
      : () => {
          throw new Error('only units read inputs');
        };
  const context = {
    ...{ release, tiles, directions, workers, memory },
    ...{ plan, pathOf, store, progress, receipts: new Receipts(store) },
  };
  const perform = () => runBuildJob(job, context);
  const refusal = (owner: string) => `a build (${owner}) is writing to it`;
  const searched =
    job.kind === 'publish' ? await whileNoBuildWrites(store, refusal, perform) : await perform();
  tell({ kind: 'done', searched });
} catch (error) {
  const isFinal =
    job.kind !== 'publish' && (error instanceof BuildError || error instanceof ShardError);
  tell({ kind: 'failed', message: describe(error), isFinal });
} finally {
  await store.close();
}
