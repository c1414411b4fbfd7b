import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../shards/single-flight.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { etagOf, matchesAny, matchesEtag, variantEtag } from './conditional.ts';
import { acceptsGzip, WORTH_COMPRESSING, zipped } from './content-coding.ts';

const MAX_ZIPPED_BYTES = 16 * 2 ** 20;

/** What is the same for everybody until the next release, and the strong ETag of its bytes. */
export interface CatalogueText {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function catalogueText(text: string): CatalogueText {
  return { bytes: Buffer.from(text), etag: etagOf(text) };
}

/** Sends what is the same for everybody, compressed once an ETag, or 304 to those who have it. */
export class CatalogueSender {
  readonly #zipped = new SingleFlight<string, Buffer>(
    new LRUCache({
      maxSize: MAX_ZIPPED_BYTES,
      sizeCalculation: (bytes, etag) => bytes.length + etag.length,
    }),
  );

  /** `vary`: what of the request chose this text. The reply has its content type. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { bytes, etag }: CatalogueText,
    vary = 'Accept-Encoding',
  ): Promise<FastifyReply> {
    const zippedEtag = variantEtag(etag, 'gzip');
    const isZipped =
      bytes.length >= WORTH_COMPRESSING && acceptsGzip(request.headers['accept-encoding']);
    reply.headers({
      etag: isZipped ? zippedEtag : etag,
      'cache-control': CACHE_CONTROL.catalogue,
      vary,
    });
    const known = request.headers['if-none-match'];
    if (
      known &&
      (matchesAny(known) || matchesEtag(known, etag) || matchesEtag(known, zippedEtag))
    ) {
      return reply.removeHeader('content-type').code(304).send();
    }
    if (!isZipped) return reply.send(bytes);
    const body = await this.#zipped.make(etag, () => zipped(bytes));
    return reply.header('content-encoding', 'gzip').send(body);
  }
}
