import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { shownLocation } from '../../../shards/store/store-location.ts';
import { ArgumentError } from '../../errors.ts';
import { type MetricsServer, serveMetrics } from '../../observe/metrics-server.ts';
import { workerSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { shutDownOnSignals } from '../../shutdown-signals.ts';
import { integer } from '../integer-flag.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

interface WorkerFlags extends Flags {
  untilDone?: boolean;
  waitMinutes?: string;
}

/** Time for a shutdown; enough to return a job to the queue. */
const ENDS_WITHIN_MS = 10_000;

/** Time for a last scrape; longer than Prometheus takes between two by default. */
const SCRAPED_WITHIN_MS = 75_000;

export function defineWorker(command: Command): void {
  command
    .option(
      '--until-done',
      'exit when the queue has no jobs left and no command that may add some; after a signal, with exit code 128 plus its number; with --metrics-port, after a last scrape, awaited for up to 75 s',
    )
    .option('--wait-minutes <n>', 'with --until-done: wait so long for a first job (default: 0)')
    .addHelpText(
      'after',
      '\nRun one worker per machine, of the same version as the command that queued the jobs (`tta build` or\n`tta export` with --queue), and with the same store. If a worker dies, another takes over its job; a\njob that has lost three fails.',
    );
  addSettings(command, workerSchema).action((flags: WorkerFlags) => run(() => work(flags)));
}

async function work(flags: WorkerFlags): Promise<void> {
  const set = readSettings(workerSchema, flags);
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
    if (!flags.untilDone) await new Promise<never>(() => {});
    await queue.untilDone(waitMinutes * 60_000, progress.note);
    if (metrics) {
      progress.note('no jobs left; waiting for a last scrape of the metrics');
      const late = pause(SCRAPED_WITHIN_MS, undefined, { ref: false });
      await Promise.race([metrics.nextScrape(), late]);
      // Jobs that were queued meanwhile are done as well.
      await queue.untilDone(0, progress.note);
    }
    ending.cancel();
    process.stdout.write('no jobs left\n');
  } finally {
    await close();
  }
}
