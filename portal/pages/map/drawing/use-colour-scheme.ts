import { useFollowed } from '../../parts/use-followed.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');

export function useColourScheme(): 'light' | 'dark' {
  return useFollowed(() => (dark.matches ? 'dark' : 'light'), dark, 'change');
}
