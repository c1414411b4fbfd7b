import { useFollowed } from '../parts/use-followed.ts';

/** The current path, without a trailing slash. */
export function usePath(): string {
  return useFollowed(pathNow, window, 'popstate');
}

/** Navigates to another page. `replace`: replaces the current history entry. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  scrollTo(0, 0);
  dispatchEvent(new PopStateEvent('popstate'));
}

export function pathNow(): string {
  return location.pathname.replace(/(.)\/+$/, '$1');
}
