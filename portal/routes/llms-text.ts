import type { FastifyInstance } from 'fastify';
import { StaticResponseSender, staticResponse } from '../../proxy/http/caching.ts';
import { pricesInWords } from '../../proxy/plans.ts';
import { PAGE_PATHS } from '../page-paths.ts';
import type { PortalServices } from '../services.ts';

/** Serves `GET /llms.txt`: an index for language models, by the convention of llmstxt.org. */
export function serveLlmsText(app: FastifyInstance, { config }: PortalServices): void {
  const { accountUrl, apiUrl } = config;
  const text = `# Travel-Time Access Service: portal

> Accounts, API keys, payments and a map for a service of travel times: minutes on foot, by bike and by public transit from every US census block to the nearest POI of each type.

${pricesInWords()}

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
