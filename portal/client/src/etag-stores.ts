/** A response stored for repeats of its request. */
export interface StoredResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Keeps responses with their `ETag`. A repeat is sent with `If-None-Match`; if nothing has changed,
 * the service responds 304, free of charge, and the stored body is returned. A store may drop any
 * response.
 */
export interface EtagStore {
  get(key: string): StoredResponse | undefined | Promise<StoredResponse | undefined>;
  set(key: string, response: StoredResponse): void | Promise<void>;
}

/**
 * Creates a store in memory. Beyond `maxBytes` of bodies (32 MiB by default), it drops the least
 * recently used responses.
 */
export function memoryStore({ maxBytes = 2 ** 25 } = {}): EtagStore {
  const kept = new Map<string, StoredResponse>();
  let bytes = 0;
  const take = (key: string) => {
    const response = kept.get(key);
    if (response && kept.delete(key)) bytes -= response.body.length;
    return response;
  };
  const put = (key: string, response: StoredResponse) => {
    take(key);
    kept.set(key, response);
    bytes += response.body.length;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break;
      take(oldest);
    }
  };
  return {
    get(key) {
      const response = take(key);
      if (response) put(key, response);
      return response;
    },
    set: put,
  };
}

/** The methods used of `Cache`, which browsers, Deno and Cloudflare Workers have. */
interface ResponseCache {
  match(url: string, options: { ignoreVary: boolean }): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

/**
 * Creates a store in a browser's Cache Storage, which survives reloads. Pages must be on https or
 * localhost.
 */
export function browserStore(name = 'travel-time-access'): EtagStore {
  const { caches } = globalThis as unknown as {
    caches: { open(name: string): Promise<ResponseCache> };
  };
  const urlOf = (key: string) => `https://etags.invalid/?${encodeURIComponent(key)}`;
  return {
    async get(key) {
      const found = await (await caches.open(name)).match(urlOf(key), { ignoreVary: true });
      return (
        found && {
          headers: Object.fromEntries(found.headers),
          body: new Uint8Array(await found.arrayBuffer()),
        }
      );
    },
    async set(key, { headers, body }) {
      await (await caches.open(name)).put(
        urlOf(key),
        new Response(body as Uint8Array<ArrayBuffer>, { headers }),
      );
    },
  };
}
