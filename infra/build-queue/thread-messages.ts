import type { Progress, StageProgress } from '../../builder/progress.ts';
import type { ThreadMessage } from './job-thread.ts';
import type { BuildQueueJob, JobProgress } from './queue.ts';

const REPORT_MS = 1_000;

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
