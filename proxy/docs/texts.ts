import type { ProxyConfig } from '../config.ts';
import { type StaticResponse, staticResponse } from '../http/caching.ts';
import { docPages } from './doc-pages.ts';
import { References } from './document-parts.ts';
import { type DocAssets, htmlPage } from './html-page.ts';
import { llmsText } from './llms-text.ts';
import { openApiSummary, type WholeDocument } from './openapi-summary.ts';

/** Responses rendered from a document. */
export interface Texts {
  readonly llms: StaticResponse;
  readonly summary: StaticResponse;
  /** The text of all pages, for the search of the page's script. */
  readonly search: StaticResponse;
  /** HTML by the end of its path, and Markdown by the same with `.md`; the start page is empty. */
  readonly pages: ReadonlyMap<string, StaticResponse>;
}

/** Renders the texts of a document; `assets` names the pages' own files. */
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
  };
}
