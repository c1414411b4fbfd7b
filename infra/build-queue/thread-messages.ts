import type { Worker as Thread } from 'node:worker_threads';
import { UnrecoverableError } from 'bullmq';
import type { Progress, StageProgress } from '../../builder/progress.ts';
import { describe } from '../errors.ts';
import type { ThreadMessage } from './job-thread.ts';
import type { BuildQueueJob, JobProgress, JobReturn } from './queue.ts';
import { isTransient } from './retries.ts';

const REPORT_MS = 1_000;

/** The result of the job that a thread runs; other messages go to `onMessage`. */
export function resultOf(
  thread: Thread,
  onMessage: (message: ThreadMessage) => void,
): Promise<JobReturn> {
  return new Promise((resolve, reject) => {
    thread.on('message', (message: ThreadMessage) => {
      if (message.kind === 'done') resolve(message.result);
      else if (message.kind !== 'failed') onMessage(message);
      else if (message.isFinal) reject(new UnrecoverableError(message.message));
      else reject(new Error(message.message));
    });
    thread.on('error', (error: Error) => {
      const Failure = isTransient(error) ? Error : UnrecoverableError;
      reject(new Failure(describe(error)));
    });
    thread.on('exit', (code) => reject(new Error(`the job thread exited with code ${code}`)));
  });
}

/** Displays a thread's progress, and forwards it to the queue at most once a second. */
export function forwarding(progress: Progress, job: BuildQueueJob, worker: string) {
  let stage: StageProgress | null = null;
  let [name, total]: [string, number | null] = ['', null];
  let reportedMs = 0;
  const report = (words: string) => {
    if (Date.now() - reportedMs < REPORT_MS) return;
    reportedMs = Date.now();
    // At worst a watcher misses a line.
    job.updateProgress({ worker, stage: words } satisfies JobProgress).catch(() => {});
  };
  return (message: ThreadMessage) => {
    if (message.kind === 'note') progress.note(message.line);
    else if (message.kind === 'start') {
      ({ stage: name, total } = message);
      stage = progress.start(name, total, message.unit);
      report(name);
    } else if (message.kind === 'at') {
      stage?.at(message.done);
      report(
        total === null
          ? name
          : `${name} ${Math.floor((100 * message.done) / Math.max(1, total))} %`,
      );
    } else if (message.kind === 'finish') stage?.finish(message.summary);
  };
}
