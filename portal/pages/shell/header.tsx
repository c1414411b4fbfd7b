import { PAGE_PATHS } from '../../page-paths.ts';
import { Sign } from '../parts/sign.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';
import { SignOutButton } from './sign-out-button.tsx';
import { useApiAddress } from './use-api-address.ts';

/** What stands above every page. */
export function Header() {
  const { visitor } = useSession();
  const api = useApiAddress();
  return (
    <header class="site-head">
      <Link to={PAGE_PATHS.front} class="home">
        <Sign />
        <span>Travel-Time Access</span>
      </Link>
      <nav class="site-nav" aria-label="Site">
        <a href={api === null ? undefined : `${api}/docs`}>API reference</a>
        {visitor.state === 'signed-in' ? (
          <>
            <Link to={PAGE_PATHS.overview}>My account</Link>
            <SignOutButton />
          </>
        ) : (
          <Link to={PAGE_PATHS.signIn}>Sign in</Link>
        )}
      </nav>
    </header>
  );
}
