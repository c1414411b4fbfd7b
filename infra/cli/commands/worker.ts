import closeWithGrace from 'close-with-grace';
import type { Command } from 'commander';
import { shownLocation } from '../../../shards/store/store-location.ts';
import { UsageError } from '../../errors.ts';
import { workerSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

/** For a job to be given back. */
const ENDS_WITHIN_MS = 10_000;

export function addWorkerCommand(program: Command): void {
  const command = program
    .command('worker')
    .description('Do the jobs of builds that are in a queue, until it is told to end.')
    .addHelpText(
      'after',
      '\nAs many as there are machines, each of the same version as the `tta build --queue` that put the\njobs there, and with the same store. One that dies is not missed: its job goes to another.',
    );
  addSettings(command, workerSchema).action((flags: Flags) => run(() => work(flags)));
}

async function work(flags: Flags): Promise<void> {
  const { QUEUE, STORE, WORKERS, MEMORY } = readSettings(workerSchema, flags);
  const { openWorker } = await import('../../build-queue/worker.ts');
  const progress = terminalProgress(process.stderr);
  const worker = await openWorker({
    ...{ queue: QUEUE, store: STORE, workers: WORKERS, memory: MEMORY, progress },
  });
  const grace = closeWithGrace({ delay: ENDS_WITHIN_MS }, () => worker.close());
  process.stdout.write(`worker of ${shownLocation(STORE)} waits for jobs\n`);
  const reason = await worker.gaveUp;
  grace.uninstall();
  await worker.close();
  throw new UsageError(reason);
}
