import type { FastifyReply, FastifyRequest } from 'fastify';
import { CostCache, SharedMemory } from '../../shards/shared-memory.ts';
import { SingleFlight } from '../../shards/single-flight.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { bestCoding, compressedBy, WORTH_COMPRESSING } from './content-coding.ts';
import { etagOf, matchesAny, matchesEtag, variantEtag } from './etag.ts';

const MAX_COMPRESSED_BYTES = 16 * 2 ** 20;
const ENTRY_BYTES = 100;

/** What is the same for everybody until the next release, and the strong ETag of its bytes. */
export interface CatalogueText {
  readonly bytes: Buffer;
  readonly etag: string;
}

export function catalogueText(text: string): CatalogueText {
  return { bytes: Buffer.from(text), etag: etagOf(text) };
}

/**
 * Sends what is the same for everybody, compressed once an ETag and coding, or 304 to those who have
 * it in any.
 */
export class CatalogueSender {
  readonly #compressed = new SingleFlight<string, Buffer>(
    new CostCache(new SharedMemory(MAX_COMPRESSED_BYTES), (bytes) => bytes.length + ENTRY_BYTES),
  );

  /** `vary`: what of the request chose this text. The reply has its content type. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { bytes, etag }: CatalogueText,
    vary = 'Accept-Encoding',
  ): Promise<FastifyReply> {
    const coding =
      bytes.length >= WORTH_COMPRESSING ? bestCoding(request.headers['accept-encoding']) : null;
    const sent = coding === null ? etag : variantEtag(etag, coding);
    reply.headers({ etag: sent, 'cache-control': CACHE_CONTROL.catalogue, vary });
    const known = request.headers['if-none-match'];
    const representations = [etag, variantEtag(etag, 'br'), variantEtag(etag, 'gzip')];
    if (known && (matchesAny(known) || representations.some((one) => matchesEtag(known, one)))) {
      return reply.removeHeader('content-type').code(304).send();
    }
    if (coding === null) return reply.send(bytes);
    const body = await this.#compressed.make(sent, () => compressedBy(coding, bytes));
    return reply.header('content-encoding', coding).send(body);
  }
}
