import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { MailCalls } from './backend-calls.ts';
import { addFamily, addFigures } from './metric-family.ts';
import { addCalls, serverMetrics } from './server-metrics.ts';

interface PortalParts {
  readonly app: FastifyInstance;
  readonly mails: MailCalls;
  /** Failed requests to the payment processor, and events from it that could not be handled. */
  readonly paymentFailures: () => number;
}

export function portalMetrics({ app, mails, paymentFailures }: PortalParts): Registry {
  const registry = serverMetrics(app);
  const { signupGrants, mailBudget, codeOutcomes } = app;
  addCalls(registry, 'tta_mail', 'kind', 'Mails sent', mails.byKind);
  addFamily(registry, {
    name: 'tta_signup_grants_total',
    help: 'Sign-up grants: given, at once or later, and those that a limit delayed.',
    type: 'counter',
    samples: () =>
      [...(signupGrants?.outcomes ?? [])].map(([outcome, value]) => ({
        labels: { outcome },
        value,
      })),
  });
  addFamily(registry, {
    name: 'tta_sign_in_codes_total',
    help: 'Sign-in codes that were tried: right, wrong, none to guess, or refused since too many were wrong.',
    type: 'counter',
    samples: () =>
      [...(codeOutcomes ?? [])].map(([outcome, value]) => ({ labels: { outcome }, value })),
  });
  addFigures(registry, 'gauge', [
    [
      'tta_signup_grants_per_day',
      'SIGNUP_GRANTS_PER_DAY, shared by all portals of a ledger.',
      () => signupGrants?.limits.perDay ?? 0,
    ],
    [
      'tta_mails_per_hour',
      'MAILS_PER_HOUR, shared by all portals of a ledger.',
      () => mailBudget?.perHour ?? 0,
    ],
  ]);
  addFigures(registry, 'counter', [
    [
      'tta_mails_over_budget_total',
      'Requested mails not sent because MAILS_PER_HOUR was used up.',
      () => mailBudget?.refused ?? 0,
    ],
    [
      'tta_mail_addresses_refused_total',
      'Mails that the mail server refused because of the recipient’s address.',
      () => mails.addressesRefused,
    ],
    [
      'tta_payment_failures_total',
      'Payment events that could not be processed, and failed requests to the payment processor.',
      paymentFailures,
    ],
  ]);
  return registry;
}
