import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidParameter, Problem } from './problem.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly knownPaths: KnownPaths;
  }
}

/** Paths that a server knows and the methods of each, for `Allow`. */
export class KnownPaths {
  readonly #paths: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** `methodsOf`: methods by path template in Fastify's syntax, `/v1/blocks/:geoid/summary`. */
  add(methodsOf: ReadonlyMap<string, readonly string[]>): void {
    for (const [template, methods] of methodsOf) {
      const literals = template.split(/:\w+/);
      const pattern = literals
        .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[^/]+?');
      const known = { pattern: new RegExp(`^${pattern}$`), methods };
      // As in the router, a path without parameters takes precedence over a template that it
      // matches.
      if (literals.length === 1) this.#paths.unshift(known);
      else this.#paths.push(known);
    }
  }

  get allMethods(): string[] {
    return [...new Set(this.#paths.flatMap(({ methods }) => methods))].sort();
  }

  methodsOf(path: string): readonly string[] | undefined {
    const decoded = isDecodable(path) ? decodeURI(path) : path;
    return this.#paths.find(({ pattern }) => pattern.test(decoded))?.methods;
  }
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (/[^\\s?]*)(?:\\?\\S*)? HTTP/1\\.[01]\\r?\\n`);

/**
 * Method and path of a request that Node rejected for its unknown method; undefined if there is no
 * request line.
 */
export function unknownMethod(
  error: Error,
): { readonly method: string; readonly path: string } | undefined {
  const { code, rawPacket, bytesParsed } = error as ClientError;
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined;
  // Earlier requests may precede this one in the packet.
  const text = rawPacket.toString('latin1');
  const line = text.slice(text.lastIndexOf('\n', (bytesParsed ?? 1) - 1) + 1);
  const [, method, path] = REQUEST_LINE.exec(line) ?? [];
  return method === undefined ? undefined : { method, path };
}

interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

export function pathOf({ url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

export function decorateKnownPaths(app: FastifyInstance): void {
  app.decorate('knownPaths', new KnownPaths());
}

/** A path that no client can send, and which therefore matches no route. */
const NOWHERE = '/ ';

/**
 * Fastify's `rewriteUrl`: diverts URLs that the router cannot read, such as a malformed
 * percent-encoding. Otherwise, the framework would respond before any hook has run, and the request
 * would be neither counted nor scheduled.
 */
export function rewriteUndecodable({ url = '' }: { readonly url?: string }): string {
  return isReadable(url) ? url : NOWHERE;
}

export function undecodable({ raw, originalUrl }: FastifyRequest): Problem | undefined {
  if (raw.url !== NOWHERE) return undefined;
  const msg = `'${originalUrl}' is not a valid url component`;
  return invalidParameter(['path'], msg, 'malformed');
}

/** A URL with scheme and host, as in requests to proxies: RFC 9112, section 3.2.2. */
const ABSOLUTE = /^https?:\/\//i;
const AUTHORITY = /^https?:\/\/[^/?#]+/i;

function isReadable(url: string): boolean {
  if (!ABSOLUTE.test(url)) return isDecodable(url);
  const isWhole = AUTHORITY.test(url) && !url.includes('#') && URL.canParse(url);
  return isWhole && isDecodable(url.replace(AUTHORITY, ''));
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURI(path.split(/[?#]/, 1)[0]);
    return true;
  } catch {
    return false;
  }
}

/** Prefix of every key, and of every browser token. */
const KEY = /t[ab]_live_/i;
/**
 * Maximum number of times a URL is decoded: each client and proxy on its way may have encoded it
 * once.
 */
const MAX_ENCODINGS = 3;

/** Rejects every URL that contains a key, before anything else inspects or logs it. */
export function refuseKeysInUrls(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => done(keyInUrl(request.originalUrl)));
}

function keyInUrl(url: string): Problem | undefined {
  if (!holdsKey(url)) return undefined;
  return new Problem(
    'key-in-url',
    'the URL contains an API key or a browser token, and URLs are kept in histories and logs: send the key in the header "Authorization: Bearer", and revoke this one',
  );
}

/** Whether a URL contains a key, even if needlessly encoded. */
function holdsKey(url: string): boolean {
  let text = url;
  for (let decoded = 0; !KEY.test(text); decoded++) {
    if (decoded === MAX_ENCODINGS || !text.includes('%')) return false;
    text = text.replaceAll(/%([0-7][\da-f])/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return true;
}
