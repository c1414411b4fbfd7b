import {
  browserStore,
  type Client,
  type ClientOptions,
  createClient,
  memoryStore,
} from '../../client/src/index.ts';
import { forgetBrowserToken, portalConfig } from './portal.ts';

/** Creates a client of the API with a key or token; if it is empty, for free routes only. */
export function clientWith(apiKey: ClientOptions['apiKey']): Client {
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

export const keylessClient = clientWith('');
