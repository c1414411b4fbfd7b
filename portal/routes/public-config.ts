import type { FastifyInstance } from 'fastify';
import { CACHE_CONTROL } from '../../proxy/http/caching.ts';
import { PLANS } from '../../proxy/plans.ts';
import { type PortalConfig, portalConfigSchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import type { PortalOperation } from './operation.ts';

/** Serves `GET /config.json`: the URL of the API and what can be bought, for the pages. */
export function servePublicConfig(app: FastifyInstance, { config, payment }: PortalServices): void {
  app.get('/config.json', { config: { operation: CONFIG } }, (_request, reply) =>
    reply.header('cache-control', CACHE_CONTROL.revalidated).send({
      api_url: config.apiUrl,
      membership_available: payment !== null,
      signup_grants: config.signupGrants.perDay > 0,
      plans: PLANS,
      example_block: config.exampleBlock,
      map_style_url: config.mapStyleUrl,
    } satisfies PortalConfig),
  );
}

const CONFIG: PortalOperation = {
  operationId: 'config',
  summary: 'Get the public configuration',
  description: 'Where the API is, and what can be bought; for the pages of the portal.',
  tag: 'Service',
  access: 'open',
  response: {
    status: 200,
    description: 'The public configuration.',
    schema: portalConfigSchema,
    example: {
      api_url: 'https://api.example.org',
      membership_available: true,
      signup_grants: true,
      plans: PLANS,
      example_block: '990010012003080',
    },
  },
  problems: [],
};
