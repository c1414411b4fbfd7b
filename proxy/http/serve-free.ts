import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FreeEndpoint } from '../endpoint.ts';
import { formatFor, GEOJSON_OBJECT, JSON_ALONE, MEDIA_TYPES } from '../formats/negotiate.ts';
import type { Services } from '../services.ts';
import { etagOf, variantEtag } from './conditional.ts';
import { parseInput } from './parse-input.ts';
import { policyHeader, rateHeader, rateLimited } from './rate-headers.ts';
import { rateSubject } from './rate-subject.ts';

/** A route without a key: limited by address, its ETag the hash of its bytes. */
export function serveFree(endpoint: FreeEndpoint, services: Services) {
  const formats = endpoint.isGeoJson ? GEOJSON_OBJECT : JSON_ALONE;
  const vary = endpoint.isGeoJson ? 'Accept, Accept-Encoding' : 'Accept-Encoding';
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (endpoint.rateLimited) {
      const { allowed, rate } = services.freeRates.take(rateSubject(request.ip), Date.now());
      if (!allowed) throw rateLimited(reply, rate);
      reply.headers({ 'ratelimit-policy': policyHeader(rate), ratelimit: rateHeader(rate) });
    }
    const { status = 200, body } = await endpoint.answer(services, parseInput(endpoint, request));
    const text = JSON.stringify(body);
    const format = formatFor(request.headers.accept, formats);
    reply.code(status).header('content-type', MEDIA_TYPES[format]);
    if (endpoint.cache === 'never') return reply.header('cache-control', 'no-store').send(text);
    const etag = format === 'json' ? etagOf(text) : variantEtag(etagOf(text), format);
    return services.catalogue.send(request, reply, { text, etag }, vary);
  };
}
