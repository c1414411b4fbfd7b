import type { LocatedOperation } from './document-parts.ts';

/** A page of the documentation. */
export interface DocPage {
  /** The end of its path: `getBlockSummary`, `own-sites`; empty for the start page. */
  readonly slug: string;
  readonly title: string;
  /** The heading under which the contents list it. */
  readonly group: string;
  /** Its Markdown, with the addresses that `link` gives to other pages. */
  readonly text: (link: (slug: string) => string) => string;
  /** The operation whose requests can be sent from the page. */
  readonly sends?: LocatedOperation;
}
