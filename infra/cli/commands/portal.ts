import type { Command } from 'commander';
import { openLedgerToServe } from '../../../proxy/ledger/open-ledger.ts';
import { CLOSE_WITHIN_MS } from '../../listen.ts';
import { servePortal } from '../../portal.ts';
import { portalSchema, portalSettings } from '../../settings/portal-server.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { shutDownOnSignals } from '../../shutdown-signals.ts';
import { packageVersion } from '../package-version.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { addReconcileCommand } from './reconcile.ts';

export function definePortal(portal: Command): void {
  addSettings(portal, portalSchema).action((flags: Flags) =>
    run(async () => {
      const settings = portalSettings(readSettings(portalSchema, flags), packageVersion());
      // The limit applies to requests with keys, which go to the API.
      const ledger = await openLedgerToServe(settings.ledger, { rateLimitPerMinute: 1 });
      const serving = await servePortal(settings, ledger).catch(async (error) => {
        await ledger.close();
        throw error;
      });
      shutDownOnSignals({
        async close() {
          await serving.close();
          await ledger.close();
        },
        withinMs: CLOSE_WITHIN_MS,
      });
      const { smtpUrl, folder } = settings.mail;
      if (smtpUrl === null) {
        process.stderr.write(`SMTP_URL is not set: writing mails to ${folder}\n`);
      }
      process.stdout.write(`serving the portal on ${serving.whereabouts}\n`);
      if (serving.metricsAddress !== null) {
        process.stdout.write(`metrics on ${serving.metricsAddress}\n`);
      }
    }),
  );
  addReconcileCommand(portal);
}
