import { useMemo } from 'preact/hooks';
import type { Client } from '../../client/src/index.ts';
import { useSession } from '../session/session.tsx';
import { clientWith, keylessClient } from './clients.ts';
import { browserToken } from './portal.ts';

/**
 * The client of the API, by which pages send all their requests:
 *
 *     const api = useApi();
 *     const { data, tokens } = await api.getBlockSummary({ geoid, mode: ['walk'] });
 *
 * The tokens are those of the account that is signed in, by its session's browser token, or of a
 * key that was typed. Free routes need neither. Repeats of a metered GET are free while the data
 * are unchanged, also after a reload. Failures are explained to users by `explained`.
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
