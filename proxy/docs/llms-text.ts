import type { ProxyConfig } from '../config.ts';
import { pricesInWords } from '../plans.ts';
import { operationsOf } from './document-parts.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** `/llms.txt`: an index for language models, by the convention of llmstxt.org. */
export function llmsText(
  document: OpenApiDocument,
  { baseUrl, accountUrl }: Pick<ProxyConfig, 'baseUrl' | 'accountUrl'>,
): string {
  const operations = operationsOf(document).map(
    ({ path, method, operation: { operationId, summary } }) =>
      `- [${method} ${path}](${baseUrl}/docs/${operationId}.md): ${summary}`,
  );
  return `# ${document.info.title}

> Minutes on foot, by bike and by public transit from every US census block to the nearest POI of each type, to each POI within 30 minutes, and to every block within 60.

${pricesInWords()}

Assistants call tools by the Model Context Protocol: \`POST ${baseUrl}/mcp\`, streamable HTTP, with the key in \`Authorization\`.

## Documentation

- [Guides and list of operations](${baseUrl}/docs.md): keys, prices, limits, pages, batches, formats, errors
- [OpenAPI summary](${baseUrl}/openapi-summary.json): every operation without examples, headers and errors
- [OpenAPI document](${baseUrl}/openapi.json): all of it
${accountUrl === undefined ? '' : `- [Portal](${accountUrl}/llms.txt): keys, payments, the map\n`}
## Operations

${operations.join('\n')}
`;
}
