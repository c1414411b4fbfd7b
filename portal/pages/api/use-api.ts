import { useMemo } from 'preact/hooks';
import { browserStore, type Client, createClient, memoryStore } from '../../client/src/index.ts';
import { portalConfig } from './portal.ts';

/**
 * The client of the API, by which pages send all their requests:
 *
 *     const api = useApi(apiKey);
 *     const { data, tokens } = await api.getBlockSummary({ geoid, mode: ['walk'] });
 *
 * Free routes need no key. Repeats of a metered GET are free while the data are unchanged, also
 * after a reload. Failures are explained to users by `explained`.
 */
export function useApi(apiKey = ''): Client {
  return useMemo(() => (apiKey === '' ? keyless : clientWith(apiKey)), [apiKey]);
}

const keyless = clientWith('');

function clientWith(apiKey: string): Client {
  return createClient({
    baseUrl: async () => (await portalConfig()).api_url,
    apiKey,
    // Cache Storage is missing on pages without https.
    store: 'caches' in globalThis ? browserStore() : memoryStore(),
    // People retry themselves rather than wait.
    retries: 2,
    timeoutMs: 20_000,
    maxWaitMs: 3_000,
  });
}
