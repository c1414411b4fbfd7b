import path from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { fetchInputs } from '../../builder/plan/shared-inputs.ts';
import type { Progress } from '../../builder/progress.ts';
import { PUBLISH_WAIT_MS, withBuildsLocked } from '../../builder/publish/locks.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { runTask, type TaskResult } from '../../builder/tasks/run-task.ts';
import type { Task } from '../../builder/tasks/task.ts';
import { openWritableStore } from '../../shards/store/open-store.ts';
import type { Bytes } from '../../shards/units.ts';

/** The data that a thread starts with. */
export interface TaskThreadInput {
  /** The location of the store. */
  readonly store: string;
  /** Folder of the worker, for inputs kept between tasks and for scratch files. */
  readonly folder: string;
  readonly workers: number;
  readonly memory: Bytes;
}

export interface TaskThreadRequest {
  readonly task: Task;
  /** Receives the progress of the task. */
  readonly port: MessagePort;
}

/** Progress of a task. */
export type TaskMessage =
  | { readonly kind: 'note'; readonly line: string }
  | {
      readonly kind: 'start';
      readonly stage: string;
      readonly total: number | null;
      readonly unit: string;
    }
  | { readonly kind: 'at'; readonly done: number }
  | { readonly kind: 'finish'; readonly summary?: string };

/** Opens the work of a worker's thread. */
export function openWork(input: TaskThreadInput) {
  return (request: TaskThreadRequest) => run(request, input);
}

async function run(
  { task, port }: TaskThreadRequest,
  { store: location, folder, workers, memory }: TaskThreadInput,
): Promise<TaskResult> {
  const store = await openWritableStore(location);
  const progress = progressTo(port);
  try {
    const context = {
      store,
      progress,
      receipts: new Receipts(store),
      workers,
      memory,
      scratch: path.join(folder, 'scratch'),
      localPaths: (inputs: Parameters<typeof fetchInputs>[1]) =>
        fetchInputs(store, inputs, folder, progress),
    };
    if (task.kind !== 'publish') return await runTask(task, context);
    const refusal = (owner: string) => `a build (${owner}) is writing to it`;
    const onWait = (problem: string) => {
      progress.note(`${problem}; waiting for up to an hour`);
      progress.start('waiting for another build', null, 'looks');
    };
    const patience = { ms: PUBLISH_WAIT_MS, onWait };
    return await withBuildsLocked(store, refusal, () => runTask(task, context), patience);
  } finally {
    await store.close();
    port.close();
  }
}

function progressTo(port: MessagePort): Progress {
  const send = (message: TaskMessage) => port.postMessage(message);
  return {
    note: (line) => send({ kind: 'note', line }),
    start(stage, total, unit) {
      send({ kind: 'start', stage, total, unit });
      return {
        at: (done) => send({ kind: 'at', done }),
        finish: (summary) => send({ kind: 'finish', ...(summary !== undefined && { summary }) }),
      };
    },
  };
}
