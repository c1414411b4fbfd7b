import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { counted } from '../../../shards/number-words.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { shownLocation } from '../../../shards/store/store-location.ts';
import type { BuildQueue } from '../../build-queue/queue.ts';
import { ArgumentError, UsageError } from '../../errors.ts';
import { type MetricsServer, serveMetrics } from '../../observe/metrics-server.ts';
import { workerSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { shutDownOnSignals } from '../../shutdown-signals.ts';
import { integer } from '../integer-flag.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';
import { whileOpen } from '../while-open.ts';

interface WorkerFlags extends Flags {
  untilDone?: boolean;
  waitMinutes?: string;
  cancel?: string;
}

/** Time for a shutdown; enough to return a job to the queue. */
const ENDS_WITHIN_MS = 10_000;

/** Time for a last scrape; longer than Prometheus takes between two by default. */
const SCRAPED_WITHIN_MS = 75_000;

/** Pause between looks for jobs that wait for other workers. */
const NOTE_OTHERS_MS = 30_000;

/** Defines the options and the action of `tta worker`. */
export function defineWorker(command: Command): void {
  command
    .option(
      '--until-done',
      'exit when the queue has no jobs left and no command plans or watches a build; with exit code 1 if a build has failed for good, and after a signal, with 128 plus its number; with --metrics-port, after a last scrape, awaited for up to 75 s',
    )
    .option('--wait-minutes <n>', 'with --until-done: wait so long for a first job (default: 0)')
    .option(
      '--cancel <build>',
      'take the jobs of a build off the queue, except one in progress, and exit; the command that queued them prints the id, and ends if it waits for them',
    )
    .addHelpText(
      'after',
      '\nRun one worker per machine, of the same version as the command that queued the jobs (`tta build` or\n`tta export` with --queue), and with the same store. If a worker dies, another takes over its job; a\njob that has lost three fails.',
    );
  addSettings(command, workerSchema).action((flags: WorkerFlags) => run(() => work(flags)));
}

async function work(flags: WorkerFlags): Promise<void> {
  const set = readSettings(workerSchema, flags);
  if (flags.cancel !== undefined) return cancel(flags.cancel, set);
  if (flags.waitMinutes !== undefined && !flags.untilDone) {
    throw new ArgumentError(
      '--wait-minutes: needs --until-done; without it, a worker always waits',
    );
  }
  const waitMinutes = integer('--wait-minutes', flags.waitMinutes, 0, 1_440) ?? 0;
  const { openWorker } = await import('../../build-queue/worker.ts');
  const { queueMetrics } = await import('../../build-queue/queue-metrics.ts');
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    const progress = terminalProgress(process.stderr);
    const { QUEUE, STORE, WORKERS, MEMORY, METRICS_PORT, HOST } = set;
    const worker = await openWorker({
      queue: QUEUE,
      store: STORE,
      workers: WORKERS,
      memory: MEMORY,
      progress,
    });
    opened.push(() => worker.close());
    const { queue } = worker;
    let metrics: MetricsServer | null = null;
    if (METRICS_PORT !== undefined) {
      const served = await serveMetrics(queueMetrics(queue), { port: METRICS_PORT, host: HOST });
      opened.push(() => served.close());
      process.stdout.write(`metrics on ${served.address}\n`);
      metrics = served;
    }
    // A scheduler is to replace a worker that it stops before the work is done.
    const failsBySignal = flags.untilDone === true;
    const ending = shutDownOnSignals({ close, withinMs: ENDS_WITHIN_MS, failsBySignal });
    process.stdout.write(`worker on ${shownLocation(STORE)} is waiting for jobs\n`);
    const noteOthers = () => queue.noteOthers(progress.note).catch(() => {});
    const noting = setInterval(noteOthers, NOTE_OTHERS_MS);
    opened.push(async () => clearInterval(noting));
    await noteOthers();
    const untilDone = async () => {
      const problem = await queue.untilDone(waitMinutes * 60_000, progress.note);
      if (metrics) {
        progress.note(`${problem ?? 'no jobs left'}; waiting for a last scrape of the metrics`);
        const late = pause(SCRAPED_WITHIN_MS, undefined, { ref: false });
        await Promise.race([metrics.nextScrape(), late]);
        // Jobs that were queued meanwhile are done as well.
        return queue.untilDone(0, progress.note);
      }
      return problem;
    };
    const allDone = flags.untilDone ? untilDone() : new Promise<never>(() => {});
    const problem = await Promise.race([worker.gaveUp, allDone]);
    ending.cancel();
    if (problem !== null) throw new UsageError(problem);
    process.stdout.write('no jobs left\n');
  } finally {
    await close();
  }
}

/** Removes the jobs of a build from the queue, and the build's lease from the store. */
async function cancel(
  build: string,
  { QUEUE, STORE }: { readonly QUEUE: string; readonly STORE: string },
): Promise<void> {
  const { BuildQueue } = await import('../../build-queue/queue.ts');
  const { endLease } = await import('../../../builder/publish/leases.ts');
  const cancelIn = async (queue: BuildQueue, store: WritableStore) => {
    const { removed, running } = await queue.cancel(build);
    if (removed === 0) {
      throw new UsageError(
        running === 0
          ? `--cancel: the queue has no job of build "${build}"`
          : `--cancel: all jobs of build "${build}" in the queue are running; stop their workers to end them`,
      );
    }
    await endLease(store, build);
    process.stdout.write(`build ${build}: ${counted(removed, 'job')} removed from the queue\n`);
  };
  await whileOpen(openWritableStore(STORE), (store) =>
    whileOpen(BuildQueue.open(QUEUE, store), (queue) => cancelIn(queue, store)),
  );
}
