import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FreeEndpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { etagOf, matchesAny, matchesEtag } from './conditional.ts';
import { parseInput } from './parse-input.ts';
import { policyHeader, rateHeader, rateLimited } from './rate-headers.ts';

const CATALOGUE = 'public, max-age=300, stale-while-revalidate=86400';

/** A route without a key: limited by address, its ETag the hash of its bytes. */
export function serveFree(endpoint: FreeEndpoint, services: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (endpoint.rateLimited) {
      const { allowed, rate } = services.freeRates.take(request.ip, Date.now());
      if (!allowed) throw rateLimited(reply, rate);
      reply.headers({ 'ratelimit-policy': policyHeader(rate), ratelimit: rateHeader(rate) });
    }
    const { status = 200, body } = await endpoint.answer(services, parseInput(endpoint, request));
    const bytes = JSON.stringify(body);
    reply.code(status).header('content-type', typeFor(endpoint, request.headers.accept));
    if (endpoint.cache === 'never') return reply.header('cache-control', 'no-store').send(bytes);
    return sendCatalogue(request, reply, bytes);
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';
const GEOJSON = 'application/geo+json';

/** A GeoJSON object is the same bytes under either name. */
function typeFor({ isGeoJson }: FreeEndpoint, accept: string | undefined): string {
  return isGeoJson && accept?.includes(GEOJSON) ? `${GEOJSON}; charset=utf-8` : JSON_TYPE;
}

/** Sends what is the same for everybody, or 304 to those who have it. */
export function sendCatalogue(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
): FastifyReply {
  const etag = etagOf(body);
  reply.headers({ etag, 'cache-control': CATALOGUE, vary: 'Accept, Accept-Encoding' });
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch && (matchesAny(ifNoneMatch) || matchesEtag(ifNoneMatch, etag))) {
    return reply.removeHeader('content-type').code(304).send();
  }
  return reply.send(body);
}
