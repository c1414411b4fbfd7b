import type { ProxyConfig } from '../config.ts';
import { type StaticResponse, staticResponse } from '../http/caching.ts';
import { pricesInWords } from '../plans.ts';
import { docPages, lostPage } from './doc-pages.ts';
import { type DocPage, References } from './document-parts.ts';
import { type DocAssets, htmlPage } from './html-page.ts';
import { openApiSummary, type WholeDocument } from './openapi-summary.ts';
import type { OpenApiDocument } from './openapi-types.ts';

export interface Texts {
  readonly llms: StaticResponse;
  readonly summary: StaticResponse;
  /** The text of all pages, for the search of the page's script. */
  readonly search: StaticResponse;
  /** HTML by the end of its path, and Markdown by the same with `.md`; the start page is empty. */
  readonly pages: ReadonlyMap<string, StaticResponse>;
  /** The HTML in place of a page that is not there. */
  readonly lost: StaticResponse;
}

export function textsOf(document: WholeDocument, assets: DocAssets, config: ProxyConfig): Texts {
  const pages = docPages(document, config);
  const { title } = document.info;
  const site = { title, pages, assets, refs: new References(document), home: config.accountUrl };
  const markdownOf = (slug: string) => (to: string) =>
    `${slug === '' ? 'docs/' : ''}${to === '' ? '../docs' : to}.md`;
  const listed = pages.map(({ slug, title, text }) => ({ slug, title, text: text((to) => to) }));
  return {
    llms: staticResponse(llmsText(document, pages, config)),
    summary: staticResponse(JSON.stringify(openApiSummary(document))),
    search: staticResponse(JSON.stringify(listed.filter(({ slug }) => slug !== ''))),
    pages: new Map(
      pages.flatMap((page) => [
        [page.slug, staticResponse(htmlPage(page, site))],
        [`${page.slug}.md`, staticResponse(page.text(markdownOf(page.slug)))],
      ]),
    ),
    lost: staticResponse(htmlPage(lostPage(document, pages), site)),
  };
}

/** `/llms.txt`: an index for language models, by the convention of llmstxt.org. */
function llmsText(
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
