import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { runBuildJob } from '../../builder/build-jobs.ts';
import { exportTable } from '../../builder/export/publish-exports.ts';
import { readPlan } from '../../builder/plan/release-plan.ts';
import { fetchInputs } from '../../builder/plan/shared-inputs.ts';
import { readJob } from '../../builder/plan/stored-job.ts';
import { runPreparationJob } from '../../builder/prepare/run-preparation-job.ts';
import { accumulator, type Progress } from '../../builder/progress.ts';
import { withBuildsLocked } from '../../builder/publish/locks.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openManifest } from '../../shards/release/release-source.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import type { Bytes } from '../../shards/units.ts';
import { describe } from '../errors.ts';
import type { JobReturn } from './queue.ts';
import type { Queued, QueuedJob, QueuedPreparation, QueuedTable } from './queued-job.ts';
import { isTransient } from './retries.ts';

/** The data that a job thread starts with. */
export interface ThreadInput {
  /** As the worker has parsed it. */
  readonly queued: Queued;
  readonly store: string;
  /** Folder of the worker, for inputs kept between jobs and for scratch files. */
  readonly folder: string;
  readonly workers: number;
  readonly memory: number;
}

/** Messages from a job thread. */
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
  /** `isFinal`: retrying would not help. */
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

/**
 * Maximum wait for a build that writes to the store without a queue; after that the job counts as
 * failed once.
 */
const PUBLISH_WAITS_MS = 60 * 60_000;
/** Memory for what is kept of a release while a table of it is exported. */
const EXPORT_CACHE_BYTES: Bytes = 2 ** 28;

const { queued, folder, workers, memory, store: location } = workerData as ThreadInput;
const store = await openWritableStore(location);

/** Runs a preparation job, whose value is its receipt; returns its notes. */
async function prepare({ preparation }: QueuedPreparation): Promise<readonly string[]> {
  const { spec, key, inputs } = await readJob(store, preparation);
  const pathOf = await fetchInputs(store, inputs, folder, progress);
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    progress.note(`${inputs.map(({ name }) => name).join(', ')}: ${line}`);
  };
  const make = async () => {
    const stage = progress.start(spec.kind, null, spec.kind === 'feed' ? 'feeds' : 'bytes');
    const context = { store, note, onWork: accumulator(stage) };
    const value = await runPreparationJob(spec, inputs.map(pathOf), context);
    stage.finish();
    return value;
  };
  await new Receipts(store).findOrMake(spec.kind, key, z.unknown(), make);
  return notes;
}

/** Runs a job of a build; returns the counties it has searched. */
async function build({ job, plan: ref, request }: QueuedJob): Promise<readonly string[]> {
  const { release, tiles, directions } = request;
  const plan = await readPlan(store, ref);
  const pathOf =
    job.kind === 'unit'
      ? await fetchInputs(store, plan.plan.inputs.elevation, folder, progress)
      : () => {
          throw new Error('only units read inputs');
        };
  const context = {
    release,
    tiles,
    directions,
    workers,
    memory,
    plan,
    pathOf,
    store,
    progress,
    receipts: new Receipts(store),
    scratch: path.join(folder, 'scratch'),
  };
  const perform = () => runBuildJob(job, context);
  const refusal = (owner: string) => `a build (${owner}) is writing to it`;
  const onWait = (problem: string) => {
    progress.note(`${problem}; waiting for up to an hour`);
    progress.start('waiting for another build', null, 'looks');
  };
  return job.kind === 'publish'
    ? withBuildsLocked(store, refusal, perform, { ms: PUBLISH_WAITS_MS, onWait })
    : perform();
}

/** Exports a table of a release. */
async function exportOne({ latest, table }: QueuedTable): Promise<void> {
  const release = await openManifest(store, latest, new ReleaseCache(EXPORT_CACHE_BYTES));
  await exportTable(release, table, store, progress);
}

async function perform(): Promise<JobReturn> {
  if ('preparation' in queued) return { searched: [], notes: await prepare(queued) };
  if ('job' in queued) return { searched: await build(queued), notes: [] };
  await exportOne(queued);
  return { searched: [], notes: [] };
}

try {
  send({ kind: 'done', result: await perform() });
} catch (error) {
  send({ kind: 'failed', message: describe(error), isFinal: !isTransient(error) });
} finally {
  await store.close();
}
