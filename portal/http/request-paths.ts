import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidParameters, Problem } from './problem.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly knownPaths: KnownPaths;
  }
}

/** Paths that a server knows and the methods of each, for `Allow`. */
export class KnownPaths {
  readonly #paths: { readonly pattern: RegExp; readonly allow: string }[] = [];

  /** `template`: as Fastify writes it, `/v1/blocks/:geoid/summary`. */
  add(template: string, methods: readonly string[]): void {
    const pattern = template
      .split(/:\w+/)
      .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^/]+?');
    this.#paths.push({ pattern: new RegExp(`^${pattern}$`), allow: methods.join(', ') });
  }

  /** The methods that a path takes, with commas between them; undefined where it is not known. */
  allowOf(path: string): string | undefined {
    return this.#paths.find(({ pattern }) => pattern.test(path))?.allow;
  }
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (/[^\\s?]*)(?:\\?\\S*)? HTTP/1\\.[01]\\r?\\n`);

/**
 * Method and path of a request that Node refused for its method, which it does not know; undefined of
 * what is no request line.
 */
export function unknownMethod(
  error: Error,
): { readonly method: string; readonly path: string } | undefined {
  const { code, rawPacket, bytesParsed } = error as ClientError;
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined;
  // Requests may stand before it in the packet.
  const text = rawPacket.toString('latin1');
  const line = text.slice(text.lastIndexOf('\n', (bytesParsed ?? 1) - 1) + 1);
  const [, method, path] = REQUEST_LINE.exec(line) ?? [];
  return method === undefined ? undefined : { method, path };
}

/** Node's error for bytes that it cannot parse. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Has a server know its paths, as they are added. */
export function knowPaths(app: FastifyInstance): void {
  app.decorate('knownPaths', new KnownPaths());
}

/** A path that no client can send, and so matches no route. */
const NOWHERE = '/ ';

/**
 * Fastify's `rewriteUrl`: what the router cannot read, such as a wrong percent-encoding, leads nowhere.
 * Else the framework would answer it before any hook has run, and it would be neither counted nor wait
 * its turn.
 */
export function rewriteUndecodable({ url = '' }: { readonly url?: string }): string {
  return isReadable(url) ? url : NOWHERE;
}

/** Finds why an undecodable path matched no route. */
export function undecodable({ raw, originalUrl }: FastifyRequest): Problem | undefined {
  if (raw.url !== NOWHERE) return undefined;
  const msg = `'${originalUrl}' is not a valid url component`;
  return invalidParameters([{ loc: ['path'], msg, type: 'malformed' }]);
}

/** With scheme and host, as proxies are asked: RFC 9112, section 3.2.2. */
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

/** How every key begins. */
const KEY = /ta_live_/i;
/** How often a URL may have been encoded on its way: each client and proxy may do it once. */
const MAX_ENCODINGS = 3;

/** Refuses every URL with a key in it, before anything else looks at it or writes it down. */
export function refuseKeysInUrls(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => done(keyInUrl(request.originalUrl)));
}

function keyInUrl(url: string): Problem | undefined {
  if (!holdsKey(url)) return undefined;
  return new Problem(
    'key-in-url',
    'the URL contains an API key, and URLs are kept in histories and logs: send the key in the header "Authorization: Bearer", and revoke this one',
  );
}

/** Whether a key stands in a URL, also where what need not be encoded is. */
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
