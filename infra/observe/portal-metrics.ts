import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { MailCalls } from './backend-calls.ts';
import { addFigures } from './metric-family.ts';
import { addCalls, serverMetrics } from './server-metrics.ts';

/** What a portal is made of, as far as it counts what it does. */
interface PortalParts {
  readonly app: FastifyInstance;
  readonly mails: MailCalls;
  /** What has failed at the payment processor, or of what it told. */
  readonly paymentFailures: () => number;
}

/** The metrics of a portal. */
export function portalMetrics({ app, mails, paymentFailures }: PortalParts): Registry {
  const registry = serverMetrics(app);
  addCalls(registry, 'tta_mail', 'kind', 'Mails handed on', mails.byKind);
  addFigures(registry, 'counter', [
    [
      'tta_payment_failures_total',
      'Events of payment that could not be acted upon, and requests that the processor failed.',
      paymentFailures,
    ],
  ]);
  return registry;
}
