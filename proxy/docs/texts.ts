import type { ProxyConfig } from '../config.ts';
import { type StaticResponse, staticResponse } from '../http/caching.ts';
import { operationsOf, References } from './document-parts.ts';
import { guidesOf } from './guides.ts';
import { llmsText } from './llms-text.ts';
import { openApiSummary, type WholeDocument } from './openapi-summary.ts';
import { referencePage } from './reference-page.ts';
import { operationText, referenceText } from './reference-text.ts';

/** Responses rendered from a document. */
export interface Texts {
  readonly page: StaticResponse;
  readonly reference: StaticResponse;
  readonly llms: StaticResponse;
  readonly summary: StaticResponse;
  /** Markdown by file name: `getBlockSummary.md`. */
  readonly operations: ReadonlyMap<string, StaticResponse>;
}

/** Renders the texts of a document; `assets` names the page's own files. */
export function textsOf(
  document: WholeDocument,
  assets: { readonly style: string; readonly script: string },
  config: ProxyConfig,
): Texts {
  const guides = guidesOf(config);
  const refs = new References(document);
  return {
    page: staticResponse(referencePage(document, assets, { home: config.accountUrl, guides })),
    reference: staticResponse(referenceText(document, guides)),
    llms: staticResponse(llmsText(document, config)),
    summary: staticResponse(JSON.stringify(openApiSummary(document))),
    operations: new Map(
      operationsOf(document).map((one) => [
        `${one.operation.operationId}.md`,
        staticResponse(operationText(one, refs)),
      ]),
    ),
  };
}
