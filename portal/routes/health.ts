import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { PortalServices } from '../services.ts';
import type { Operation } from './operation.ts';

/** `GET /health`: the process is alive. Touches no backend. */
export function serveHealth(app: FastifyInstance, { config }: PortalServices): void {
  app.get('/health', { config: { probe: true, operation: HEALTH } }, () => ({
    status: 'ok',
    version: config.version,
  }));
}

const HEALTH: Operation = {
  operationId: 'health',
  summary: 'The process is alive',
  description: 'Touches no backend.',
  ...{ tag: 'Service', access: 'open' },
  answer: {
    ...{ status: 200, description: 'It is alive.' },
    schema: z.object({ status: z.literal('ok'), version: z.string() }),
    example: { status: 'ok', version: '1.0.0' },
  },
  problems: [],
};
