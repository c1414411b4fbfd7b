import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { MailCalls } from './backend-calls.ts';
import { addFamily, addFigures } from './metric-family.ts';
import { addCalls, serverMetrics } from './server-metrics.ts';

/** Parts of a portal that metrics are collected from. */
interface PortalParts {
  readonly app: FastifyInstance;
  readonly mails: MailCalls;
  /** Failed requests to the payment processor, and events from it that could not be handled. */
  readonly paymentFailures: () => number;
}

/** The metrics of a portal. */
export function portalMetrics({ app, mails, paymentFailures }: PortalParts): Registry {
  const registry = serverMetrics(app);
  const { signupGrants, mailBudget } = app;
  addCalls(registry, 'tta_mail', 'kind', 'Mails handed on', mails.byKind);
  addFamily(registry, {
    name: 'tta_signup_grants_total',
    help: 'New accounts by what came of their sign-up grants: given, or withheld by a limit.',
    type: 'counter',
    samples: () =>
      [...(signupGrants?.outcomes ?? [])].map(([outcome, value]) => ({
        labels: { outcome },
        value,
      })),
  });
  addFigures(registry, 'gauge', [
    [
      'tta_signup_grants_per_day',
      'SIGNUP_GRANTS_PER_DAY, which all portals of a ledger share.',
      () => signupGrants?.limits.perDay ?? 0,
    ],
    [
      'tta_mails_per_hour',
      'MAILS_PER_HOUR, which all portals of a ledger share.',
      () => mailBudget?.perHour ?? 0,
    ],
  ]);
  addFigures(registry, 'counter', [
    [
      'tta_mails_over_budget_total',
      'Mails that were asked for and not sent because MAILS_PER_HOUR was used up.',
      () => mailBudget?.refused ?? 0,
    ],
    [
      'tta_mail_addresses_refused_total',
      'Mails that the mail server did not take because of the address they go to.',
      () => mails.addressesRefused,
    ],
    [
      'tta_payment_failures_total',
      'Events of payment that could not be acted upon, and requests that the processor failed.',
      paymentFailures,
    ],
  ]);
  return registry;
}
