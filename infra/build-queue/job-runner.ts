import { Worker as Thread } from 'node:worker_threads';
import { UnrecoverableError } from 'bullmq';
import { describe } from '../errors.ts';
import type { ThreadInput, ThreadMessage } from './job-thread.ts';
import type { JobReturn } from './queue.ts';
import type { Queued } from './queued-job.ts';
import { isTransient } from './retries.ts';

/**
 * Runs jobs one after another in a thread, which is kept for the next job, since loading and
 * compiling the program takes longer than a small job.
 */
export class JobRunner {
  readonly #input: ThreadInput;
  #thread: Thread | null = null;

  constructor(input: ThreadInput) {
    this.#input = input;
  }

  /** Runs a job and returns its result. The thread's other messages go to `onMessage`. */
  async run(queued: Queued, onMessage: (message: ThreadMessage) => void): Promise<JobReturn> {
    this.#thread ??= this.#start();
    try {
      return await resultOf(queued, this.#thread, onMessage);
    } catch (error) {
      // The next job must not find remains of a job that broke off.
      await this.end();
      throw error;
    }
  }

  /** Ends the thread, which frees its memory; a job in progress fails. */
  async end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #start(): Thread {
    const thread = new Thread(new URL('./job-thread.js', import.meta.url), {
      workerData: this.#input,
    });
    const forget = () => {
      if (this.#thread === thread) this.#thread = null;
    };
    // The thread may also end between jobs.
    return thread.on('error', forget).on('exit', forget);
  }
}

function resultOf(
  queued: Queued,
  thread: Thread,
  onMessage: (message: ThreadMessage) => void,
): Promise<JobReturn> {
  let stop = () => {};
  const result = new Promise<JobReturn>((resolve, reject) => {
    const onAny = (message: ThreadMessage) => {
      if (message.kind === 'done') resolve(message.result);
      else if (message.kind !== 'failed') onMessage(message);
      else if (message.isFinal) reject(new UnrecoverableError(message.message));
      else reject(new Error(message.message));
    };
    const onError = (error: Error) => {
      const Failure = isTransient(error) ? Error : UnrecoverableError;
      reject(new Failure(describe(error)));
    };
    const onExit = (code: number) => reject(new Error(`the job thread exited with code ${code}`));
    thread.on('message', onAny).on('error', onError).on('exit', onExit);
    stop = () => void thread.off('message', onAny).off('error', onError).off('exit', onExit);
  });
  thread.postMessage(queued);
  return result.finally(stop);
}
