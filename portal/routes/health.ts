import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { PortalServices } from '../services.ts';
import type { PortalOperation } from './operation.ts';

export function serveHealth(app: FastifyInstance, services: PortalServices): void {
  const { config, ledger } = services;
  app.get('/health', { config: { probe: true, operation: HEALTH } }, () => ({
    status: 'ok',
    version: config.version,
  }));

  app.get('/ready', { config: { probe: true, operation: READY } }, async () => {
    await ledger.ping();
    // Throws until the secret of codes and links is loaded: without it, there is no sign-in.
    void services.secrets.session;
    return { ready: true };
  });
}

const HEALTH: PortalOperation = {
  operationId: 'health',
  summary: 'Check whether the process is alive',
  description: 'Touches no backend.',
  tag: 'Service',
  access: 'open',
  response: {
    description: 'The process is alive.',
    schema: z.object({ status: z.literal('ok'), version: z.string() }),
    example: { status: 'ok', version: '1.0.0' },
  },
};

const READY: PortalOperation = {
  operationId: 'ready',
  summary: 'Check whether users can sign in',
  description: 'Queries the ledger. Pages are served even while it is unavailable.',
  tag: 'Service',
  access: 'open',
  response: {
    description: 'The ledger responds.',
    schema: z.object({ ready: z.literal(true) }),
    example: { ready: true },
  },
  problems: ['debit-unavailable'],
};
