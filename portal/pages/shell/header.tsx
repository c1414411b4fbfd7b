import { useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import { Fault } from '../api/fault.ts';
import { signOut, useApiAddress } from '../api/portal.ts';
import { Link, SignInLink } from '../router/link.tsx';
import { navigate } from '../router/router.ts';
import { useSession } from '../session/session.tsx';

function Sign() {
  return (
    <svg class="sign" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <circle class="band-3" cx="16" cy="16" r="15" />
      <circle class="band-2" cx="16" cy="16" r="10" />
      <circle class="band-1" cx="16" cy="16" r="5" />
    </svg>
  );
}

function SignOutButton() {
  const { ended } = useSession();
  const [fault, setFault] = useState('');
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      // An expired session counts as signed out.
      if (!(error instanceof Fault) || error.slug !== 'no-session') {
        setFault('Could not sign out: the service is unavailable.');
        return;
      }
    }
    navigate(PAGE_PATHS.front);
    ended();
  };
  return (
    <>
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
      <span role="alert" class="fault-text">
        {fault}
      </span>
    </>
  );
}

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
        <Link to={PAGE_PATHS.map}>Map</Link>
        <a href={api === null ? undefined : `${api}/docs`}>API reference</a>
        {visitor.state === 'signed-in' ? (
          <>
            <Link to={PAGE_PATHS.overview}>My account</Link>
            <SignOutButton />
          </>
        ) : (
          <SignInLink>Sign in</SignInLink>
        )}
      </nav>
    </header>
  );
}
