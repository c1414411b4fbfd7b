import { useMemo } from 'preact/hooks';
import type { Client } from '../../client/src/index.ts';
import { clientWith, keylessClient } from '../api/clients.ts';
import { browserToken } from '../api/portal.ts';
import { useSession } from './session.tsx';

/**
 * Returns the client of the API, through which pages send their metered requests:
 *
 *     const api = useApi();
 *     const { data, tokens } = await api.getBlockSummary({ geoid, mode: ['walk'] });
 *
 * Tokens are charged to the account that is signed in, by its session's browser token, or to that
 * of a typed key. Free routes need neither: `keylessClient`. Repeats of a metered GET are free
 * while the data is unchanged, even after a reload. `explained` explains failures to users.
 */
export function useApi(typedKey = ''): Client {
  const { visitor } = useSession();
  const isSignedIn = visitor.state === 'signed-in';
  return useMemo(() => {
    if (typedKey !== '') return clientWith(typedKey);
    return isSignedIn ? ofSession : keylessClient;
  }, [typedKey, isSignedIn]);
}

const ofSession = clientWith(browserToken);
