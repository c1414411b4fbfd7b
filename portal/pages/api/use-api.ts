import { useMemo } from 'preact/hooks';
import {
  browserStore,
  type Client,
  type ClientOptions,
  createClient,
  memoryStore,
} from '../../client/src/index.ts';
import { useSession } from '../session/session.tsx';
import { browserToken, forgetBrowserToken, portalConfig } from './portal.ts';

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
    return isSignedIn ? ofSession : keyless;
  }, [typedKey, isSignedIn]);
}

const keyless = clientWith('');
const ofSession = clientWith(browserToken);

function clientWith(apiKey: ClientOptions['apiKey']): Client {
  return createClient({
    baseUrl: async () => (await portalConfig()).api_url,
    apiKey,
    // Cache Storage is missing on pages without https.
    store: 'caches' in globalThis ? browserStore() : memoryStore(),
    // People retry themselves rather than wait.
    retries: 2,
    timeoutMs: 20_000,
    maxWaitMs: 3_000,
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.status === 401) forgetBrowserToken();
      return response;
    },
  });
}
