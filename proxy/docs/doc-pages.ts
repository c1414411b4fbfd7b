import type { ProxyConfig } from '../config.ts';
import { articles, GUIDES } from './articles.ts';
import { type DocPage, type LocatedOperation, operationsOf, References } from './document-parts.ts';
import { guidesOf } from './guides.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { lines, listed, operationText, samplesText } from './operation-text.ts';

const FIRST = 'getBlockSummary';

/**
 * The pages of the documentation, in the order of their contents: the start, guides, recipes and
 * methods, and a page for each operation.
 */
export function docPages(document: OpenApiDocument, config: ProxyConfig): DocPage[] {
  const refs = new References(document);
  const operations = operationsOf(document);
  const routes = document.tags.flatMap(({ name }) =>
    operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map((one): DocPage => {
        const { operationId: slug, summary: title } = one.operation;
        const text = () => operationText(one, refs, config.baseUrl);
        return { slug, title, group: name, text, sends: one };
      }),
  );
  const read = articles();
  const guides = read.filter(({ group }) => group === GUIDES);
  const others = read.filter(({ group }) => group !== GUIDES);
  const pages = [basics(config), ...guides, ...others, ...routes];
  const first = operations.find(({ operation }) => operation.operationId === FIRST)!;
  return [start(document, config, first, pages), ...pages];
}

function start(
  document: OpenApiDocument,
  config: ProxyConfig,
  first: LocatedOperation,
  pages: readonly DocPage[],
): DocPage {
  const { title, version, description } = document.info;
  const [summary, ...rest] = description.split(/\n{2,}/);
  const refs = new References(document);
  return {
    slug: '',
    title,
    group: '',
    text: (link) =>
      lines(
        `# ${title}`,
        summary,
        '## The first request',
        `${keyAdvice(config)} Then ask for the ${lowerFirst(first.operation.summary)}:`,
        samplesText(first, refs, config.baseUrl),
        `[More about this route](${link(FIRST)})`,
        '## In general',
        ...rest.map(listed),
        `Version ${version}.`,
        ...contents(document, pages, link),
      ),
  };
}

/** The page in place of one that is not there. */
export function lostPage(document: OpenApiDocument, pages: readonly DocPage[]): DocPage {
  return {
    slug: 'no-such-page',
    title: 'No such page',
    group: '',
    text: (link) =>
      lines(
        '# No such page',
        'There is no page at this address. These are all pages; the search looks into their text, too.',
        ...contents(document, pages, link),
      ),
  };
}

/** Paragraphs that list the pages by group. */
function contents(
  { tags }: OpenApiDocument,
  pages: readonly DocPage[],
  link: (slug: string) => string,
): string[] {
  const entry = ({ slug, title, sends }: DocPage) =>
    sends === undefined
      ? `- [${title}](${link(slug)})`
      : `- [${sends.method} ${sends.path}](${link(slug)}): ${title}`;
  const groups = new Set(pages.map(({ group }) => group).filter((name) => name !== ''));
  return [...groups].flatMap((name) => [
    `## ${name}`,
    tags.find((tag) => tag.name === name)?.description ?? '',
    pages
      .filter(({ group }) => group === name)
      .map(entry)
      .join('\n'),
  ]);
}

function basics(config: ProxyConfig): DocPage {
  const guides = guidesOf(config, keyAdvice(config));
  return {
    slug: 'basics',
    title: 'Keys, prices, limits',
    group: GUIDES,
    text: () =>
      lines(
        '# Keys, prices, limits',
        ...guides.flatMap(({ title, text }) => [`## ${title}`, text]),
      ),
  };
}

function keyAdvice({ accountUrl }: ProxyConfig): string {
  return accountUrl === undefined
    ? 'Ask the operator of this service for an API key.'
    : `Sign in at [the portal](${accountUrl}) by e-mail and create a key.`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
