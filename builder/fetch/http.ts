import { type Dispatcher, EnvHttpProxyAgent, Pool, request } from 'undici';
import { TransientError } from '../../shards/concurrency/retry.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError, NotFound } from '../errors.ts';
import { HostGuard, hostOf, NotPublic } from './host-guard.ts';
import { retryAfterMs, withRetries } from './retry.ts';

export interface HttpOptions {
  /** A connection without a response, or without another byte, for this long counts as lost. */
  readonly idleMs: number;
  /** Wait before the first retry; each further wait is twice as long. */
  readonly retryMs: number;
  /** Hosts that may be on a private network; see `HostGuard`. */
  readonly namedHosts: readonly string[];
  /** Hosts that ask for no more than one connection. */
  readonly singleHosts: readonly string[];
  /** The `User-Agent`, by which servers tell who downloads. */
  readonly userAgent: string;
}

const PATIENT: HttpOptions = {
  idleMs: 60_000,
  retryMs: 1_000,
  namedHosts: [],
  singleHosts: [],
  userAgent: 'tta-fetch',
};
/** Public services ask clients to limit their connections. */
const CONNECTIONS_PER_HOST = 2;
const MAX_REDIRECTS = 5;
/** Maximum size of a text, such as a checksum or a page of a listing. */
const MAX_TEXT_BYTES: Bytes = 8 * 2 ** 20;
/** Maximum size of a range; many times the columns of a row group. */
const MAX_RANGE_BYTES: Bytes = 512 * 2 ** 20;
/** Statuses of timeouts, throttling and upstream failures, which may pass soon. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A response with its body not yet read: the caller must read it or discard it with `dump()`. */
export interface HttpResponse {
  readonly status: number;
  /** Names are lower case. */
  header(name: string): string | undefined;
  readonly body: Dispatcher.ResponseData['body'];
}

/**
 * An HTTP client that sends two requests at a time to each server, or one where a server asks for
 * that, and queues the rest. Follows redirects, but not into a private network, nor from https to
 * http. Uses the proxy given by HTTP_PROXY, HTTPS_PROXY and NO_PROXY, if any.
 */
export class Http {
  readonly #options: HttpOptions;
  readonly #onRetry: (line: string) => void;
  readonly #guard: HostGuard;
  readonly #agent: Dispatcher;
  readonly #sizes = new Map<string, Promise<Bytes | null>>();

  /** `onRetry` receives a line of text about each failure that is retried. */
  constructor(options: Partial<HttpOptions> = {}, onRetry: (line: string) => void = () => {}) {
    this.#options = { ...PATIENT, ...options };
    const { idleMs, namedHosts, singleHosts } = this.#options;
    this.#onRetry = onRetry;
    this.#guard = new HostGuard(namedHosts);
    this.#agent = new EnvHttpProxyAgent({
      factory: (origin: string | URL, pool: Pool.Options) => {
        const isSingle = singleHosts.includes(hostOf(new URL(origin)));
        return new Pool(origin, { ...pool, connections: isSingle ? 1 : CONNECTIONS_PER_HOST });
      },
      connect: this.#guard.connector(idleMs),
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
  }

  /**
   * Sends one request; any status is returned. Bodies are transferred as stored, never compressed,
   * so that ranges and sizes refer to the file. Throws a `BuildError` for a forbidden address.
   */
  async ask(
    method: 'GET' | 'HEAD',
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    let at = webAddress(url);
    for (let redirects = 0; ; redirects++) {
      const response = await this.#request(method, url, at, headers);
      const header = (name: string) => [response.headers[name]].flat()[0];
      const location = header('location');
      if (!REDIRECTS.has(response.statusCode) || location === undefined) {
        return { status: response.statusCode, header, body: response.body };
      }
      await response.body.dump();
      at = redirectTarget(url, at, location, redirects);
    }
  }

  async #request(
    method: 'GET' | 'HEAD' | 'POST',
    url: string,
    at: URL,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Dispatcher.ResponseData> {
    try {
      this.#guard.check(at);
      return await request(at, {
        method,
        headers: {
          'user-agent': this.#options.userAgent,
          'accept-encoding': 'identity',
          ...headers,
        },
        body,
        dispatcher: this.#agent,
      });
    } catch (error) {
      if (!(error instanceof NotPublic)) throw error;
      const host = hostOf(at);
      throw new BuildError(
        `${url}: points to ${host}, which ${error.message}; if it is yours, allow it with --allow-hosts ${host}`,
      );
    }
  }

  /**
   * Retries after transient failures; see `withRetries`. Begins the tries anew for as long as they
   * increase the number of bytes that have `arrived`, since a file of gigabytes over a bad line is
   * cut more often than a server may fail.
   */
  async retry<T>(
    url: string,
    attempt: () => Promise<T>,
    arrived: () => Bytes = () => 0,
  ): Promise<T> {
    for (;;) {
      const had = arrived();
      try {
        return await withRetries(url, attempt, this.#options.retryMs, this.#onRetry);
      } catch (error) {
        if (arrived() <= had) throw error;
      }
    }
  }

  /** Fetches the body of a small document. Throws a `BuildError` that names the URL. */
  text(url: string): Promise<string> {
    return this.retry(url, async () => {
      const response = await this.ask('GET', url);
      if (response.status !== 200) throw await refusal(url, response);
      const body = await bodyOf(response, MAX_TEXT_BYTES);
      if (body === null) throw tooLarge(url, MAX_TEXT_BYTES);
      return new TextDecoder().decode(body);
    });
  }

  /**
   * Fetches bytes `from` to `to` (exclusive) of the file with this ETag; of those that an
   * interrupted transfer lacks, only these again. Throws a `BuildError` if the server has another
   * version by now, or does not support ranges.
   */
  async range(url: string, from: Bytes, to: Bytes, etag: string): Promise<ArrayBuffer> {
    if (to - from > MAX_RANGE_BYTES)
      throw tooLarge(`${url} (bytes ${from} to ${to - 1})`, MAX_RANGE_BYTES);
    const bytes = new Uint8Array(to - from);
    let at = 0;
    const rest = async () => {
      // A connection may be lost between the last byte and the end of the response.
      if (at === bytes.length) return;
      const response = await this.ask('GET', url, {
        range: `bytes=${from + at}-${to - 1}`,
        'if-match': etag,
      });
      // Some servers ignore If-Match.
      const isOther = response.status === 206 && (response.header('etag') ?? etag) !== etag;
      if (response.status === 412 || isOther) {
        await response.body.dump();
        throw new BuildError(`${url}: was replaced during the download; run the command again`);
      }
      if (response.status === 200) {
        await response.body.dump();
        throw new BuildError(`${url}: the server does not support range requests; use another`);
      }
      if (response.status !== 206) throw await refusal(url, response);
      const isAsked = rangeOf(response)?.from === from + at;
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        // Leaving the loop closes the connection.
        if (!isAsked || at + chunk.length > bytes.length) break;
        bytes.set(chunk, at);
        at += chunk.length;
      }
      if (at < bytes.length) {
        throw new TransientError(`sent other bytes than ${from} to ${to - 1}`);
      }
    };
    await this.retry(url, rest, () => at);
    return bytes.buffer;
  }

  /**
   * Sends a JSON document, with headers made for each attempt, and ignores the body of the
   * response. Follows no redirect. Throws a `BuildError` that names the receiver as `called`,
   * unless the response is a success.
   */
  async post(
    url: string,
    called: string,
    body: string,
    headers: () => Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.retry(called, async () => {
      const json = { 'content-type': 'application/json', ...headers() };
      const { statusCode, body: response } = await this.#request(
        'POST',
        called,
        new URL(url),
        json,
        body,
      );
      await response.dump();
      if (statusCode >= 200 && statusCode < 300) return;
      if (TRANSIENT.has(statusCode)) throw new TransientError(`responded with ${statusCode}`);
      throw new BuildError(`${called}: responded with ${statusCode}; check its address`);
    });
  }

  /**
   * The size and the strong ETag of a file that is to be read by ranges. Throws a `BuildError` if
   * the server does not state them.
   */
  version(url: string): Promise<{ bytes: Bytes; etag: string }> {
    return this.retry(url, async () => {
      const response = await this.ask('HEAD', url);
      if (response.status !== 200) throw await refusal(url, response);
      await response.body.dump();
      const [bytes, etag] = [lengthOf(response), response.header('etag')];
      if (bytes !== null && etag?.startsWith('"')) return { bytes, etag };
      throw new BuildError(`${url}: the server does not state its size and ETag; use another`);
    });
  }

  /**
   * The size that a GET would transfer, for telling it in advance; null if the server does not
   * state it. A server is asked once for each URL.
   */
  sizeOf(url: string): Promise<Bytes | null> {
    const known = this.#sizes.get(url) ?? this.#askSize(url);
    this.#sizes.set(url, known);
    return known;
  }

  async #askSize(url: string): Promise<Bytes | null> {
    try {
      const response = await this.ask('HEAD', url);
      await response.body.dump();
      return response.status === 200 ? lengthOf(response) : null;
    } catch {
      // Used only for estimates: the GET that follows reports the error.
      return null;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * Reads a whole body into memory. Returns null for a body larger than `maxBytes`, without reading
 * the rest.
 */
async function bodyOf(response: HttpResponse, maxBytes: Bytes): Promise<ArrayBuffer | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Blob(chunks).arrayBuffer();
}

export function tooLarge(url: string, maxBytes: Bytes): BuildError {
  return new BuildError(
    `${url}: is larger than ${maxBytes} bytes, the limit for this kind of file; check the address in a browser`,
  );
}

export function lengthOf(response: HttpResponse): Bytes | null {
  const length = response.header('content-length');
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : null;
}

/** The range of a 206 response; null if it is missing or not in bytes. */
export function rangeOf(response: HttpResponse): { from: Bytes; total: Bytes | null } | null {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.header('content-range') ?? '');
  return match && { from: Number(match[1]), total: match[2] === '*' ? null : Number(match[2]) };
}

/** Returns the error for a response without the requested content, and discards the body. */
export async function refusal(url: string, response: HttpResponse): Promise<Error> {
  await response.body.dump();
  const { status } = response;
  if (TRANSIENT.has(status)) {
    return new TransientError(`responded with ${status}`, {
      waitMs: retryAfterMs(response.header('retry-after')),
    });
  }
  if (status === 404 || status === 410) {
    return new NotFound(`${url}: not found (${status}); check the address in a browser`);
  }
  if (status === 401 || status === 403) {
    return new BuildError(
      `${url}: access denied (${status}); does it need a key, or is the address wrong?`,
    );
  }
  return new BuildError(`${url}: responded with ${status}; check the address in a browser`);
}

function redirectTarget(url: string, from: URL, location: string, redirects: number): URL {
  if (redirects === MAX_REDIRECTS) {
    throw new BuildError(
      `${url}: redirects more than ${MAX_REDIRECTS} times; give the final address`,
    );
  }
  const target = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (target === null || !isWeb(target)) {
    throw new BuildError(`${url}: redirects to ${location}, which is not http or https`);
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw new BuildError(
      `${url}: redirects from https to ${target.href}, which is not protected from tampering; if that is intended, give the final address`,
    );
  }
  return target;
}

function webAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address !== null && isWeb(address)) return address;
  throw new BuildError(`${url}: is not a URL starting with http:// or https://`);
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
