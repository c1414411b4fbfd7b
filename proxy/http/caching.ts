import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CacheBudget, CostAwareCache } from '../../shards/concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../../shards/concurrency/single-flight.ts';
import { compressWith, MIN_COMPRESSED_BYTES, preferredEncoding } from './content-encoding.ts';
import { Problem } from './problem.ts';

export const CACHE_CONTROL = {
  never: 'no-store',
  /** Cached, and revalidated each time: a charge may be due. */
  revalidated: 'public, no-cache',
  /** The same for all clients until the next release. */
  catalogue: 'public, max-age=300, stale-while-revalidate=86400',
  /** A response that never changes. */
  immutable: 'public, max-age=31536000, immutable',
  /** A metered response that never changes: no shared cache may serve it without a key. */
  pinned: 'private, max-age=31536000, immutable',
} as const;

/** Length of an ETag in base64url characters: 162 bits of the hash. */
const ETAG_CHARACTERS = 27;

/** The ETag of another representation of the same response, such as another format or coding. */
export function variantEtag(etag: string, variant: string): string {
  return `${etag.slice(0, -1)}-${variant}"`;
}

export function etagOf(body: string | Uint8Array): string {
  return `"${hash('sha256', body, 'base64url').slice(0, ETAG_CHARACTERS)}"`;
}

/** Codings whose names proxies append to the ETag of what they compress, as `variantEtag` does. */
const CODINGS = ['gzip', 'br', 'zstd', 'deflate'];
/** Separators that proxies put before the name. An ETag may itself end in a hyphen. */
const SEPARATORS = ['-', '--', ';'];

const TAG = /(?:^|,)\s*(?:W\/)?("[^"]*")(?=\s*(?:,|$))/g;

/**
 * Returns the ETag of the representation that the client has, plain or in a coding, ours or a
 * proxy's: the plain one if the client accepts any; undefined if it has none. The ETags of
 * `If-None-Match` are compared weakly, as in RFC 9110 section 13.1.2.
 */
export function knownRepresentation(
  ifNoneMatch: string | undefined,
  etag: string,
): string | undefined {
  if (ifNoneMatch === undefined) return undefined;
  // The common cases: a client sends back the ETag it received.
  if (ifNoneMatch === etag || matchesAny(ifNoneMatch)) return etag;
  if (ifNoneMatch === variantEtag(etag, 'gzip')) return ifNoneMatch;
  const known = new Set(Array.from(ifNoneMatch.matchAll(TAG), ([, tag]) => tag));
  if (known.has(etag)) return etag;
  const plain = etag.slice(0, -1);
  const coding = CODINGS.find((name) =>
    SEPARATORS.some((separator) => known.has(`${plain}${separator}${name}"`)),
  );
  return coding && variantEtag(etag, coding);
}

interface Representation {
  /** Plain; null for a response without an ETag. */
  readonly etag: string | null;
  /** When the data was last modified, RFC 3339; null if that is not known. */
  readonly modified: string | null;
}

/**
 * Returns `precondition-failed` unless `If-Match`, or else `If-Unmodified-Since`, holds, else null:
 * RFC 9110 section 13.2.2. ETags are compared strongly, in any coding of ours; a date is ignored if
 * it is malformed or if it is not known when the data was modified. Preconditions apply only to
 * requests that would succeed without them (section 13.2.1): find the resource before throwing.
 */
export function failedPrecondition(
  { 'if-match': ifMatch, 'if-unmodified-since': since }: IncomingHttpHeaders,
  { etag, modified }: Representation,
): Problem | null {
  if (ifMatch !== undefined) {
    const strong = ifMatch.replaceAll(/W\/"[^"]*"/g, '');
    if (etag !== null && knownRepresentation(strong, etag) !== undefined) return null;
    return preconditionFailed('If-Match', etag === null ? 'has no ETag' : `has the ETag ${etag}`);
  }
  if (since === undefined || modified === null) return null;
  // HTTP dates are whole seconds.
  const date = new Date(modified).toUTCString();
  if (!(Date.parse(since) < Date.parse(date))) return null;
  return preconditionFailed('If-Unmodified-Since', `was modified on ${date}`);
}

export function requirePreconditions(headers: IncomingHttpHeaders, found: Representation): void {
  const failed = failedPrecondition(headers, found);
  if (failed) throw failed;
}

function preconditionFailed(header: string, fact: string): Problem {
  return new Problem('precondition-failed', `${header} does not hold: the response ${fact}`);
}

export function matchesAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

const MAX_COMPRESSED_BYTES = 16 * 2 ** 20;
const ENTRY_BYTES = 100;

/**
 * A response that is the same for all clients until the next release, and the strong ETag of its
 * bytes.
 */
export interface StaticResponse {
  readonly bytes: Buffer;
  readonly etag: string;
  /** The bytes in the codings they are sent in; if absent, they are compressed when asked for. */
  readonly compressed?: { readonly [Coding in 'br' | 'gzip']?: Buffer | undefined };
}

export function staticResponse(text: string): StaticResponse {
  return { bytes: Buffer.from(text), etag: etagOf(text) };
}

/**
 * Sends a static response, compressed once per ETag and coding, or 304 to clients that have it in
 * any coding.
 */
export class StaticResponseSender {
  readonly #compressed = new SingleFlight<string, Buffer>(
    new CostAwareCache(
      new CacheBudget(MAX_COMPRESSED_BYTES),
      (bytes) => bytes.length + ENTRY_BYTES,
    ),
  );

  /**
   * `vary`: the request headers that selected this text. The reply already has its content type
   * and, if it is not 200, its status.
   */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { bytes, etag, compressed }: StaticResponse,
    { vary = 'Accept-Encoding', cacheControl = CACHE_CONTROL.catalogue as string } = {},
  ): Promise<FastifyReply> {
    const accepted = preferredEncoding(request.headers['accept-encoding']);
    const isSent = compressed
      ? accepted !== null && compressed[accepted] !== undefined
      : bytes.length >= MIN_COMPRESSED_BYTES;
    const coding = isSent ? accepted : null;
    const sent = coding === null ? etag : variantEtag(etag, coding);
    const isFound = reply.statusCode === 200;
    if (isFound) requirePreconditions(request.headers, { etag, modified: null });
    reply.headers({ etag: sent, 'cache-control': cacheControl, vary });
    if (isFound && knownRepresentation(request.headers['if-none-match'], etag) !== undefined) {
      return reply.removeHeader('content-type').code(304).send();
    }
    if (coding === null) return reply.send(bytes);
    const body =
      compressed?.[coding] ??
      (await this.#compressed.getOrCompute(sent, () => compressWith(coding, bytes)));
    return reply.header('content-encoding', coding).send(body);
  }
}
