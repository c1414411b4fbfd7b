import type { ComponentChildren } from 'preact';
import { nextPageOf, nextParameter, PAGE_PATHS } from '../../page-paths.ts';
import { Link } from './link.tsx';

/** Link to the sign-in page, which leads back here: to the map, to its very state. */
export function SignInLink({ children }: { readonly children: ComponentChildren }) {
  const toNow = () => {
    const next = nextPageOf(location.pathname + location.hash);
    return next === PAGE_PATHS.overview
      ? PAGE_PATHS.signIn
      : `${PAGE_PATHS.signIn}?next=${nextParameter(next)}`;
  };
  return (
    <Link to={PAGE_PATHS.signIn} toNow={toNow}>
      {children}
    </Link>
  );
}
