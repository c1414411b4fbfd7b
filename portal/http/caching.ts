import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CacheBudget, CostAwareCache } from '../../shards/concurrency/cost-aware-cache.ts';
import { SingleFlight } from '../../shards/concurrency/single-flight.ts';
import { compressWith, MIN_COMPRESSED_BYTES, preferredEncoding } from './content-encoding.ts';

/** Values of Cache-Control. */
export const CACHE_CONTROL = {
  never: 'no-store',
  /** Kept, and asked about each time: a charge may be due. */
  revalidated: 'public, no-cache',
  /** The same for everybody until the next release. */
  catalogue: 'public, max-age=300, stale-while-revalidate=86400',
  /** A response that never changes. */
  immutable: 'public, max-age=31536000, immutable',
  /** The same for every key holder: the key is checked at every use of a shared cache. */
  pinned: 'private, max-age=31536000, immutable',
} as const;

/** 162 bits of the hash. */
const ETAG_CHARACTERS = 27;

/** The ETag of another representation of the same answer: a format, a coding. */
export function variantEtag(etag: string, variant: string): string {
  return `${etag.slice(0, -1)}-${variant}"`;
}

/** The strong ETag of a complete body. */
export function etagOf(body: string | Uint8Array): string {
  return `"${hash('sha256', body, 'base64url').slice(0, ETAG_CHARACTERS)}"`;
}

const ONE_STRONG = /^"[^"]*"$/;

/**
 * Whether `If-None-Match` names the representation: RFC 9110 section 13.1.2, with weak comparison,
 * of a list. `*` is not decided here: it asks whether there is any.
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  // The common case: a client sends back the one it was given.
  if (ifNoneMatch === etag) return true;
  if (ONE_STRONG.test(ifNoneMatch)) return false;
  for (const [, opaque] of ifNoneMatch.matchAll(/(?:^|,)\s*(?:W\/)?("[^"]*")(?=\s*(?:,|$))/g)) {
    if (opaque === etag) return true;
  }
  return false;
}

/** Whether `If-None-Match` is `*`: any representation will do. */
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
 * Sends what is the same for everybody, compressed once an ETag and coding, or 304 to those who have
 * it in any.
 */
export class StaticResponseSender {
  readonly #compressed = new SingleFlight<string, Buffer>(
    new CostAwareCache(
      new CacheBudget(MAX_COMPRESSED_BYTES),
      (bytes) => bytes.length + ENTRY_BYTES,
    ),
  );

  /** `vary`: the request headers that chose this text. The reply already has its content type. */
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
    const known = request.headers['if-none-match'];
    const representations = [etag, variantEtag(etag, 'br'), variantEtag(etag, 'gzip')];
    if (known && (matchesAny(known) || representations.some((one) => matchesEtag(known, one)))) {
      return reply.removeHeader('content-type').code(304).send();
    }
    if (coding === null) return reply.send(bytes);
    const body = await this.#compressed.make(sent, () => compressWith(coding, bytes));
    return reply.header('content-encoding', coding).send(body);
  }
}
