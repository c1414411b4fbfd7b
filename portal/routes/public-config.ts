import type { FastifyInstance } from 'fastify';
import { CACHE_CONTROL, StaticResponseSender, staticResponse } from '../../proxy/http/caching.ts';
import { PLANS, pricesInWords } from '../../proxy/plans.ts';
import { PAGE_PATHS } from '../page-paths.ts';
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
};

/** Serves `GET /llms.txt`: an index for language models, by the convention of llmstxt.org. */
export function serveLlmsText(app: FastifyInstance, { config, payment }: PortalServices): void {
  const { accountUrl, apiUrl } = config;
  const text = `# Travel-Time Access Service: portal

> Accounts, API keys, payments and a map for a service of travel times: minutes on foot, by bike and by public transit from every US census block to the nearest POI of each type.

${pricesInWords(payment !== null)}

## API

- [Index for models](${apiUrl}/llms.txt): guides, operations, tools for assistants

## Portal

- [Map](${accountUrl}${PAGE_PATHS.map}): times to each type, reach, shares of an area
- [Sign in](${accountUrl}${PAGE_PATHS.signIn}): by e-mail; then create a key
- [OpenAPI document of the portal](${accountUrl}/openapi.json): keys, usage, payments
`;
  const response = staticResponse(text);
  const catalogue = new StaticResponseSender();
  app.get('/llms.txt', (request, reply) => {
    reply.type('text/plain; charset=utf-8');
    return catalogue.send(request, reply, response);
  });
}
