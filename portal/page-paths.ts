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

/** The pages that require signing in. */
export const OWN_PAGE_PATHS = [
  PAGE_PATHS.overview,
  PAGE_PATHS.keys,
  PAGE_PATHS.firstRequest,
  PAGE_PATHS.plan,
  PAGE_PATHS.account,
] as const;
export type OwnPagePath = (typeof OWN_PAGE_PATHS)[number];

/** A page that signing in can lead to: one that requires it, or the map in a state. */
export type NextPage = OwnPagePath | `${typeof PAGE_PATHS.map}${string}`;

/** The map, with the state in its fragment, which has room for any that the map writes. */
export const MAP_STATE_PATH = /^\/map(#[\w=&/,.;!%'()*~-]{0,4000})?$/;
/** Programs for mail cut longer addresses. */
const MAX_MAILED_STATE = 2_500;

/** The page that the link in a mail leads to: the map without its state if this is too long. */
export function mailedPage(next: NextPage): NextPage {
  return next.length > MAX_MAILED_STATE ? PAGE_PATHS.map : next;
}

/**
 * Returns the page to open after signing in: a known page, otherwise the overview. Never a foreign
 * address.
 */
export function nextPageOf(wanted: unknown): NextPage {
  const own = OWN_PAGE_PATHS.find((path) => path === wanted);
  if (own !== undefined) return own;
  const isMap = typeof wanted === 'string' && MAP_STATE_PATH.test(wanted);
  return isMap ? (wanted as NextPage) : PAGE_PATHS.overview;
}

/** A page as the value of a parameter of an address. */
export function nextParameter(page: NextPage): string {
  return encodeURIComponent(page).replaceAll('%2F', '/');
}
