import { useState } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import { Fault } from '../api/ask.ts';
import { signOut } from '../api/portal.ts';
import { navigate } from '../router/router.ts';
import { useSession } from '../session/session.tsx';

export function SignOutButton() {
  const { ended } = useSession();
  const [fault, setFault] = useState('');
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      // Whose session is over already is signed out.
      if (!(error instanceof Fault) || error.slug !== 'no-session') {
        setFault('Not signed out: the service cannot be reached.');
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
