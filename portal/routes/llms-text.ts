import type { FastifyInstance } from 'fastify';
import { StaticResponseSender, staticResponse } from '../http/caching.ts';
import { PAGE_PATHS } from '../page-paths.ts';
import { pricesInWords } from '../plans.ts';
import type { PortalServices } from '../services.ts';

/** `GET /llms.txt`: where a language model finds what, by the convention of llmstxt.org. */
export function serveLlmsText(app: FastifyInstance, { config }: PortalServices): void {
  const { accountUrl, apiUrl } = config;
  const text = `# Travel-Time Access Service: portal

> Accounts, API keys, payments and a map for a service of travel times: minutes on foot, by bike and by public transit from every US census block to the nearest POI of each type.

${pricesInWords()}

Assistants call tools by the Model Context Protocol: \`POST ${apiUrl}/mcp\`, streamable HTTP, with an API key in \`Authorization\`.

## API

- [Index for models](${apiUrl}/llms.txt): every page as Markdown
- [Guides and list of operations](${apiUrl}/docs.md): keys, prices, limits, formats, errors
- [OpenAPI summary](${apiUrl}/openapi-summary.json): every operation without examples, headers and errors

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
