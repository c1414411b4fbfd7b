import type { FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL } from '../../portal/http/cache-control.ts';
import { etagOf, variantEtag } from '../../portal/http/etag.ts';
import { parseInput } from '../../portal/http/parse-input.ts';
import type { FreeEndpoint } from '../endpoint.ts';
import { formatFor, GEOJSON_OBJECT, JSON_ALONE, MEDIA_TYPES } from '../formats/negotiate.ts';
import type { ProxyServices } from '../services.ts';

/** A route without a key. Its ETag is the hash of its bytes. */
export function serveFree(endpoint: FreeEndpoint, services: ProxyServices) {
  const formats = endpoint.isGeoJson ? GEOJSON_OBJECT : JSON_ALONE;
  const vary = endpoint.isGeoJson ? 'Accept, Accept-Encoding' : 'Accept-Encoding';
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { status = 200, body } = await endpoint.answer(services, parseInput(endpoint, request));
    const text = JSON.stringify(body);
    const format = formatFor(request.headers.accept, formats);
    reply.code(status).header('content-type', MEDIA_TYPES[format]);
    if (endpoint.cache === 'never')
      return reply.header('cache-control', CACHE_CONTROL.never).send(text);
    const etag = format === 'json' ? etagOf(text) : variantEtag(etagOf(text), format);
    return services.catalogue.send(request, reply, { bytes: Buffer.from(text), etag }, vary);
  };
}
