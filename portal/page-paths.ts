/** The paths of the portal's pages; the server returns the same document for each. */
export const PAGE_PATHS = {
  front: '/',
  map: '/map',
  signIn: '/sign-in',
  overview: '/my',
  keys: '/my/keys',
  firstRequest: '/my/request',
  plan: '/my/plan',
  account: '/my/account',
} as const;

/** Path of the map for iframes in pages of other sites; its document is a separate one. */
export const EMBED_PATH = '/embed';

/** The pages that require signing in, and that signing in can lead to. */
export const OWN_PAGE_PATHS = [
  PAGE_PATHS.overview,
  PAGE_PATHS.keys,
  PAGE_PATHS.firstRequest,
  PAGE_PATHS.plan,
  PAGE_PATHS.account,
] as const;
export type OwnPagePath = (typeof OWN_PAGE_PATHS)[number];

/**
 * Returns the page to open after signing in: one of the known pages, otherwise the overview. Never
 * a foreign address.
 */
export function ownPageOf(wanted: unknown): OwnPagePath {
  return OWN_PAGE_PATHS.find((path) => path === wanted) ?? PAGE_PATHS.overview;
}
