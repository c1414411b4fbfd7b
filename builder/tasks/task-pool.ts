import path from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { openWritableStore } from '../../shards/store/open-store.ts';
import type { Resources } from '../build-request.ts';
import type { LocalInput, PlannedInput } from '../plan/planned-input.ts';
import { fetchInputs } from '../plan/shared-inputs.ts';
import type { Progress, StageProgress } from '../progress.ts';
import { Receipts } from '../receipts/receipts.ts';
import { openThreads, type ThreadLimits } from '../threads/pool.ts';
import { runTask, type TaskResult } from './run-task.ts';
import type { Task } from './task.ts';

interface TaskThread extends Resources {
  readonly store: string;
  /** A folder for inputs that are copied from the store, where no paths are given. */
  readonly folder?: string;
}

interface TaskRequest {
  readonly task: Task;
  /** Inputs on this machine, where they need not be copied. */
  readonly inputs: readonly LocalInput[];
  readonly port: MessagePort;
}

type TaskMessage =
  | { readonly kind: 'note'; readonly line: string }
  | { readonly kind: 'start'; readonly stage: Parameters<Progress['start']> }
  | { readonly kind: 'at'; readonly done: number }
  | { readonly kind: 'finish'; readonly summary: string | undefined };

/** Runs tasks, as many at once as there are threads. */
export interface TaskPool {
  run(task: Task, inputs: readonly LocalInput[], progress: Progress): Promise<TaskResult>;
  /** Ends the threads, which frees their memory; tasks in progress fail. */
  close(): Promise<void>;
}

export function openWork({ store: location, folder, ...resources }: TaskThread) {
  return async ({ task, inputs, port }: TaskRequest): Promise<TaskResult> => {
    const store = await openWritableStore(location);
    const progress = progressTo(port);
    const localInputs = async (planned: readonly PlannedInput[]) =>
      folder === undefined
        ? inputs
        : fetchInputs(store, planned, path.join(folder, 'inputs'), progress);
    try {
      const receipts = new Receipts(store);
      return await runTask(task, { ...resources, store, progress, receipts, localInputs });
    } finally {
      await store.close();
      port.close();
    }
  };
}

export function openTaskPool(thread: TaskThread, threads: number, limits?: ThreadLimits): TaskPool {
  const module = new URL('./task-pool.js', import.meta.url);
  const pool = openThreads<TaskRequest, TaskResult>(module, threads, thread, limits);
  return {
    async run(task, inputs, progress) {
      const { port1, port2 } = new MessageChannel();
      const tell = telling(progress);
      port1.on('message', tell);
      try {
        return await pool.run({ task, inputs, port: port2 }, [port2]);
      } finally {
        // The result may overtake messages that were sent before it.
        for (let last = receiveMessageOnPort(port1); last; last = receiveMessageOnPort(port1)) {
          tell(last.message);
        }
        port1.close();
      }
    },
    close: () => pool.close(),
  };
}

function progressTo(port: MessagePort): Progress {
  const send = (message: TaskMessage) => port.postMessage(message);
  return {
    note: (line) => send({ kind: 'note', line }),
    start(...stage) {
      send({ kind: 'start', stage });
      return {
        at: (done) => send({ kind: 'at', done }),
        finish: (summary) => send({ kind: 'finish', summary }),
      };
    },
  };
}

function telling(progress: Progress): (message: TaskMessage) => void {
  let stage: StageProgress | null = null;
  return (message) => {
    if (message.kind === 'note') progress.note(message.line);
    else if (message.kind === 'start') stage = progress.start(...message.stage);
    else if (message.kind === 'at') stage?.at(message.done);
    else stage?.finish(message.summary);
  };
}
