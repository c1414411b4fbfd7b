import type { ProxyConfig } from '../config.ts';
import { pricesInWords } from '../plans.ts';
import type { DocPage } from './doc-page.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** `/llms.txt`: an index for language models, by the convention of llmstxt.org. */
export function llmsText(
  document: OpenApiDocument,
  pages: readonly DocPage[],
  { baseUrl, accountUrl }: Pick<ProxyConfig, 'baseUrl' | 'accountUrl'>,
): string {
  const address = (slug: string) => `${baseUrl}/docs/${slug}.md`;
  const documents = pages.filter(({ slug, sends }) => slug !== '' && sends === undefined);
  const operations = pages.flatMap(({ slug, title, sends }) =>
    sends ? [`- [${sends.method} ${sends.path}](${address(slug)}): ${title}`] : [],
  );
  return `# ${document.info.title}

> Minutes on foot, by bike and by public transit from every US census block to the nearest POI of each type, to each POI within 30 minutes, and to every block within 60.

${pricesInWords()}

Assistants call tools by the Model Context Protocol: \`POST ${baseUrl}/mcp\`, streamable HTTP, with the key in \`Authorization\`.

## Documentation

- [Start](${baseUrl}/docs.md): the first request, and a list of all pages
${documents.map(({ slug, title }) => `- [${title}](${address(slug)})`).join('\n')}
- [OpenAPI summary](${baseUrl}/openapi-summary.json): every operation without examples, headers and errors
- [OpenAPI document](${baseUrl}/openapi.json): all of it
${accountUrl === undefined ? '' : `- [Portal](${accountUrl}/llms.txt): keys, payments, the map\n`}
## Operations

${operations.join('\n')}
`;
}
