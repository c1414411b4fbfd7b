import { type NextPage, nextPageOf, type OwnPagePath, PAGE_PATHS } from '../../page-paths.ts';

/** The signed-in pages, in the order of their navigation. */
export const MY_PAGES: readonly { readonly path: OwnPagePath; readonly name: string }[] = [
  { path: PAGE_PATHS.overview, name: 'Overview' },
  { path: PAGE_PATHS.keys, name: 'Keys' },
  { path: PAGE_PATHS.firstRequest, name: 'First request' },
  { path: PAGE_PATHS.plan, name: 'Plan' },
  { path: PAGE_PATHS.account, name: 'Account' },
];

export function nextPath(query: string): NextPage {
  return nextPageOf(new URLSearchParams(query).get('next'));
}
