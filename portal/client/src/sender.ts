import { ApiError, errorOf, type Tokens } from './api-error.ts';
import type { EtagStore } from './etag-stores.ts';

export interface ClientOptions {
  /** Address of the service, such as `https://api.example.org`, or a function that returns it. */
  readonly baseUrl: string | (() => string | Promise<string>);
  /** API key, or a function that returns one. It is not sent to free routes. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Keeps the responses of metered GETs, so that repeats are free; none by default. */
  readonly store?: EtagStore | undefined;
  /** Maximum number of retries of a failed request; 4 by default. */
  readonly retries?: number | undefined;
  /** Maximum wait for a response, per attempt; 80 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Maximum wait before a retry; 120 seconds by default. An error with a longer `Retry-After` is
   * thrown.
   */
  readonly maxWaitMs?: number | undefined;
  /** Replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface CallOptions<MediaType = string> {
  /** Media type of the response, such as `text/csv`; JSON by default. */
  readonly accept?: MediaType | undefined;
  /** Aborts the call's requests and waits. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Idempotency key of a POST, random by default. Calls with the same key and parameters within 24
   * hours are charged once, even from different processes.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A response. */
export interface Reply<T> {
  readonly data: T;
  readonly tokens: Tokens;
  /** Id of the request in the service's log. */
  readonly requestId: string;
  /** Data release of the response; null on free routes. */
  readonly release: string | null;
  readonly headers: Headers;
}

export type Params = Readonly<Record<string, unknown>>;

interface Route {
  /** Free routes need no key. */
  readonly isFree: boolean;
  readonly method: string;
  readonly path: string;
}

/** Sends one request until it succeeds or fails for good. */
export type Send = (route: Route, params: Params, options: CallOptions) => Promise<Reply<unknown>>;

/** Statuses of transient failures; 0 if there was no response. */
const TRANSIENT = [0, 408, 429, 500, 502, 503, 504];
/** Headers that last as long as the body. */
const LASTING = /^(etag|content-type|link|x-next-cursor|x-resolved-block|x-unrouted)$/;

/** Creates a sender whose calls share credentials, the store, and waits for the rate limit. */
export function createSender(options: ClientOptions): Send {
  const { baseUrl, apiKey, timeoutMs = 80_000 } = options;
  const root = typeof baseUrl === 'function' ? baseUrl : rootOf(baseUrl);
  const retried = createRetries(options);

  return async ({ isFree, method, path }, params, { accept = '', signal, idempotencyKey }) => {
    const isGet = method === 'GET';
    const [target, body] = addressed(path, params, isGet);
    const url = (typeof root === 'function' ? rootOf(await root()) : root) + target;
    const storeKey = `${accept} ${url}`;
    const store = isGet && !isFree ? options.store : undefined;
    const stored = await quietly(() => store?.get(storeKey));
    // Free routes get no id: from a page on another origin, a custom header would need a preflight.
    const id = isFree ? '' : randomId();
    const headers = new Headers();
    if (accept) headers.set('accept', accept);
    if (id) headers.set('x-request-id', id);
    if (stored) headers.set('if-none-match', stored.headers.etag);
    if (!isGet) headers.set('content-type', 'application/json');
    if (!isGet) headers.set('idempotency-key', idempotencyKey ?? id);

    const attempt = async (): Promise<Reply<unknown>> => {
      const key = isFree ? '' : typeof apiKey === 'function' ? await apiKey() : apiKey;
      if (key) headers.set('authorization', `Bearer ${key}`);
      const timeout = AbortSignal.timeout(timeoutMs);
      let response: Response;
      let bytes: Uint8Array;
      try {
        response = await (options.fetch ?? fetch)(url, {
          method,
          headers,
          body,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        bytes = new Uint8Array(await response.arrayBuffer());
      } catch (cause) {
        signal?.throwIfAborted();
        throw noResponse(`${method} ${url}`, id, cause);
      }
      const received = Object.fromEntries(response.headers);
      if (response.status === 304 && stored) {
        return replyOf(response, id, { ...stored.headers, ...received }, stored.body);
      }
      const reply = replyOf(response, id, received, bytes);
      if (store && response.headers.has('etag') && response.status === 200) {
        const lasting = Object.entries(received).filter(([name]) => LASTING.test(name));
        const kept = { headers: Object.fromEntries(lasting), body: bytes };
        await quietly(() => store.set(storeKey, kept));
      }
      return reply;
    };

    return retried(attempt, signal);
  };
}

/** Creates a function that repeats attempts; all of them wait once the rate is limited. */
export function createRetries({
  retries = 4,
  maxWaitMs = 120_000,
}: Pick<ClientOptions, 'retries' | 'maxWaitMs'>) {
  let pausedUntil = 0;
  return async <T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    for (let failures = 0; ; failures++) {
      await pause(pausedUntil - performance.now(), signal);
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof ApiError) || failures >= retries) throw error;
        if (!TRANSIENT.includes(error.status) || error.slug === 'tokens-exhausted') throw error;
        const wait = error.retryAfterMs ?? backoffMs(failures);
        if (wait > maxWaitMs) throw error;
        if (error.slug === 'rate-limited') pausedUntil = performance.now() + wait;
        await pause(wait, signal);
      }
    }
  };
}

function rootOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) throw new TypeError(`Invalid baseUrl: ${baseUrl}`);
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

/** Parameters that the path does not name go into the query of a GET, or into the body. */
export function addressed(path: string, params: Params, isGet: boolean): [string, string | null] {
  const rest = { ...params };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    delete rest[name];
    return encodeURIComponent(String(params[name]));
  });
  if (!isGet) return [filled, JSON.stringify(rest)];
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    for (const item of [value].flat()) if (item != null) query.append(name, String(item));
  }
  // Sorted so that equal requests share a stored response.
  query.sort();
  return [query.size > 0 ? `${filled}?${query}` : filled, null];
}

/** The reply of a response, whose body may be a stored one; throws an `ApiError` for a failure. */
function replyOf(
  { ok, status, headers: own }: Response,
  sentId: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Reply<unknown> {
  const remaining = own.get('x-tokens-remaining');
  const about = {
    tokens: {
      charged: Number(own.get('x-tokens-charged')),
      remaining: remaining === null ? null : Number(remaining),
    },
    requestId: own.get('x-request-id') ?? sentId,
  };
  const data = dataOf(body, headers['content-type'] ?? '');
  if ((ok || status === 304) && data !== undefined) {
    return { data, ...about, release: own.get('x-data-release'), headers: new Headers(headers) };
  }
  throw errorOf(data, { status, ...about, retryAfterMs: retryAfterMs(own.get('retry-after')) });
}

/** Parses a body as JSON, text or bytes, by its media type; undefined for damaged JSON. */
export function dataOf(body: Uint8Array, mediaType: string): unknown {
  if (!/^text\/|json/.test(mediaType)) return body;
  const text = new TextDecoder().decode(body);
  try {
    return /[/+]json/.test(mediaType) ? JSON.parse(text) : text;
  } catch {
    return undefined;
  }
}

function noResponse(request: string, requestId: string, cause: unknown): ApiError {
  const nothing = { slug: 'no-response', problem: null, status: 0, retryAfterMs: null } as const;
  const tokens = { charged: 0, remaining: null };
  return new ApiError(`No response to ${request}`, { ...nothing, requestId, tokens }, { cause });
}

/** Parses a `Retry-After` in seconds or as a date; null if absent or invalid. */
export function retryAfterMs(header: string | null | undefined): number | null {
  if (!header) return null;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(wait, 0);
}

/** Doubles from half a second up to eight, less up to half of it as jitter. */
function backoffMs(failures: number): number {
  return Math.min(500 * 2 ** failures, 8_000) * (0.5 + Math.random() / 2);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/** Ignores the failure of a store: a repeat is then charged, but no response is lost. */
async function quietly<T>(use: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await use();
  } catch {
    return undefined;
  }
}

/** 128 random bits; `crypto.randomUUID` is missing on pages without https. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
