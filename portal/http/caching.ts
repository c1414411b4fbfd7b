import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CacheBudget, CostAwareCache } from '../../shards/concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../../shards/concurrency/single-flight.ts';
import { compressWith, MIN_COMPRESSED_BYTES, preferredEncoding } from './content-encoding.ts';

/** Values of Cache-Control. */
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

/** The strong ETag of a complete body. */
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
  // The common case: a client sends back the ETag it received.
  if (ifNoneMatch === etag || matchesAny(ifNoneMatch)) return etag;
  const known = new Set(Array.from(ifNoneMatch.matchAll(TAG), ([, tag]) => tag));
  if (known.has(etag)) return etag;
  const plain = etag.slice(0, -1);
  const coding = CODINGS.find((name) =>
    SEPARATORS.some((separator) => known.has(`${plain}${separator}${name}"`)),
  );
  return coding && variantEtag(etag, coding);
}

/** Whether `If-None-Match` is `*`: any representation matches. */
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
   * `vary`: the request headers that selected this text. The reply already has its content type.
   */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { bytes, etag }: StaticResponse,
    { vary = 'Accept-Encoding', cacheControl = CACHE_CONTROL.catalogue as string } = {},
  ): Promise<FastifyReply> {
    const coding =
      bytes.length >= MIN_COMPRESSED_BYTES
        ? preferredEncoding(request.headers['accept-encoding'])
        : null;
    const sent = coding === null ? etag : variantEtag(etag, coding);
    reply.headers({ etag: sent, 'cache-control': cacheControl, vary });
    if (knownRepresentation(request.headers['if-none-match'], etag) !== undefined) {
      return reply.removeHeader('content-type').code(304).send();
    }
    if (coding === null) return reply.send(bytes);
    const body = await this.#compressed.getOrCompute(sent, () => compressWith(coding, bytes));
    return reply.header('content-encoding', coding).send(body);
  }
}
