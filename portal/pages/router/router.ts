import { useEffect, useState } from 'preact/hooks';

const readers = new Set<(path: string) => void>();
addEventListener('popstate', notify);

/** The current path, without a trailing slash. */
export function usePath(): string {
  const [path, setPath] = useState(pathNow);
  useEffect(() => {
    readers.add(setPath);
    return () => void readers.delete(setPath);
  }, []);
  return path;
}

/** Navigates to another page. `replace`: replaces the current history entry. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  scrollTo(0, 0);
  notify();
}

export function pathNow(): string {
  return location.pathname.replace(/(.)\/+$/, '$1');
}

function notify(): void {
  for (const setPath of readers) setPath(pathNow());
}
