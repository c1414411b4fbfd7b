import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import { endsWithinMs } from '../../listen.ts';
import type { Serving } from '../../serve.ts';
import { type ServeSettings, serveSchema, serveSettings } from '../../settings/api-server.ts';
import type { Flags } from '../../settings/read-settings.ts';
import { CUT_OFF_WITHIN_MS, shutDownOnSignals } from '../../shutdown-signals.ts';
import { packageVersion } from '../package-version.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';

/** Extra time for the parent when child processes use all of theirs. */
const MORE_FOR_ALL_MS = 2_000;

/** Defines the options and the action of `tta serve`. */
export function defineServe(command: Command): void {
  addSettings(command, serveSchema).action((flags: Flags) =>
    run(() => {
      const settings = serveSettings(flags, packageVersion());
      return settings.processes === 1 ? serveHere(settings) : serveBeside(settings);
    }),
  );
}

async function serveHere(settings: ServeSettings): Promise<void> {
  let serving: Serving | undefined;
  // A service that is not open yet has no request to finish.
  const ending = shutDownOnSignals({
    close: async () => serving?.close(),
    cutOff: async () => serving?.cutOff(),
    withinMs: () => endsWithinMs(settings),
  });
  const { openService } = await import('../../serve.ts');
  serving = await openService(settings);
  await serving.listen();
  if (!ending.hasBegun()) sayServing(serving.releases.current.manifest.release, serving);
}

/**
 * Serves with child processes. This process handles no requests, so it does not load the modules
 * that do.
 */
async function serveBeside(settings: ServeSettings): Promise<void> {
  const { ServingProcesses } = await import('../../processes/serve-by-processes.ts');
  const note = (words: string) => process.stderr.write(`${words}\n`);
  const processes = new ServingProcesses(settings, note);
  const ending = shutDownOnSignals({
    close: () => processes.close(),
    withinMs: () => endsWithinMs(settings) + MORE_FOR_ALL_MS,
    cutOff: () => processes.cutOff(),
    cutOffWithinMs: CUT_OFF_WITHIN_MS + MORE_FOR_ALL_MS,
    atOnce: () => processes.kill(),
  });
  const served = await processes.begin();
  if (!ending.hasBegun()) {
    sayServing(served.release, served, ` with ${settings.processes} processes`);
  }
  const words = await processes.gaveUp;
  ending.cancel();
  await processes.close();
  throw new UsageError(words);
}

function sayServing(
  release: string,
  { whereabouts, metricsAddress }: { whereabouts: string; metricsAddress: string | null },
  how = '',
): void {
  process.stdout.write(`serving release ${release} on ${whereabouts}${how}\n`);
  if (metricsAddress !== null) process.stdout.write(`metrics on ${metricsAddress}\n`);
}
