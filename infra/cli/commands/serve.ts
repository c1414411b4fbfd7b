import type { Command } from 'commander';
import { endsWithinMs } from '../../listen.ts';
import type { Serving } from '../../serve.ts';
import { serveSchema, serveSettings } from '../../settings/api-server.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { shutDownOnSignals } from '../../shutdown-signals.ts';
import { packageVersion } from '../package-version.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';

export function defineServe(command: Command): void {
  addSettings(command, serveSchema).action((flags: Flags) =>
    run(async () => {
      const settings = serveSettings(readSettings(serveSchema, flags), packageVersion());
      let serving: Serving | undefined;
      // A service that is not open yet has no request to finish.
      const ending = shutDownOnSignals({
        close: async () => serving?.close(),
        cutOff: async () => serving?.cutOff(),
        withinMs: endsWithinMs(settings),
      });
      const { openService } = await import('../../serve.ts');
      serving = await openService(settings);
      await serving.listen();
      if (!ending.hasBegun()) sayServing(serving);
    }),
  );
}

function sayServing({ releases, whereabouts, metricsAddress }: Serving): void {
  process.stdout.write(`serving release ${releases.current.manifest.release} on ${whereabouts}\n`);
  if (metricsAddress !== null) process.stdout.write(`metrics on ${metricsAddress}\n`);
}
