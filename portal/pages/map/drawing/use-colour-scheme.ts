import { useEffect, useState } from 'preact/hooks';

const dark = matchMedia('(prefers-color-scheme: dark)');
const schemeNow = (): 'light' | 'dark' => (dark.matches ? 'dark' : 'light');

export function useColourScheme(): 'light' | 'dark' {
  const [scheme, setScheme] = useState(schemeNow);
  useEffect(() => {
    const follow = () => setScheme(schemeNow());
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, []);
  return scheme;
}
