import type { Command } from 'commander';
import { counted } from '../../../shards/number-words.ts';
import { ArgumentError } from '../../errors.ts';
import { paymentSchema, paymentSettings } from '../../settings/payment.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { printEither } from '../print.ts';
import { runWithLedger } from '../with-ledger.ts';

interface ReconcileFlags extends Flags {
  since?: string;
  json?: boolean;
}

export function addReconcileCommand(portal: Command): void {
  portal
    .command('reconcile')
    .description('Fetch payments from Stripe that the portal has missed, and book them.')
    .option(
      '--since <day>',
      'start of the period to check, such as 2026-11-01 (default: everything)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Uses --ledger and the same Stripe settings as tta portal. Safe to run at any time, including while a
portal is running, and repeatedly: nothing is booked twice.`,
    )
    .action((_flags: object, command: Command) => {
      const flags = command.optsWithGlobals<ReconcileFlags>();
      const { since, json } = flags;
      return runWithLedger(flags, async (opened) => {
        const sinceMs = since === undefined ? null : momentOf(since);
        const settings = paymentSettings(readSettings(paymentSchema, flags));
        if (!settings) throw new ArgumentError('settings: STRIPE_SECRET_KEY: is required');
        // Imported here because Stripe’s library is slow to load.
        const { reconcileWith } = await import('../../../portal/payment/open-payment.ts');
        const { tokensGranted, tokensTakenBack, membershipsChanged, ...looked } =
          await reconcileWith(settings, opened, sinceMs);
        printEither(
          json,
          {
            ...looked,
            tokens_granted: tokensGranted,
            tokens_taken_back: tokensTakenBack,
            memberships_changed: membershipsChanged,
          },
          `checked ${Object.entries(looked)
            .map(([kind, count]) => `${count} ${kind}`)
            .join(', ')}`,
          `granted ${counted(tokensGranted, 'token')}, took back ${tokensTakenBack}, changed ${counted(membershipsChanged, 'membership')}`,
        );
      });
    });
}

function momentOf(day: string): number {
  const moment = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(moment))
    throw new ArgumentError(`--since: "${day}" is not a date such as 2026-11-01`);
  return moment;
}
