import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Release } from '../../shards/release/release.ts';
import type { FreeEndpoint } from '../endpoint.ts';
import { freeFormat, respondFreely } from '../execute.ts';
import { NONE } from '../fields/field.ts';
import { MEDIA_TYPES } from '../formats/negotiate.ts';
import {
  CACHE_CONTROL,
  etagOf,
  knownRepresentation,
  requirePreconditions,
  type StaticResponse,
  staticResponse,
  variantEtag,
} from '../http/caching.ts';
import { nextLink } from '../http/common-headers.ts';
import { RETRY } from '../http/error-handling.ts';
import { parseInput } from '../http/validation.ts';
import type { ProxyServices } from '../services.ts';

export function serveFree(endpoint: FreeEndpoint, services: ProxyServices) {
  const hasParameters = endpoint.params !== NONE || endpoint.query !== NONE;
  return endpoint.cache === 'catalogue' && !hasParameters
    ? serveConstant(endpoint, services)
    : serveComputed(endpoint, services);
}

/** Handles a catalogue route without parameters, whose response is rendered once per release. */
function serveConstant(endpoint: FreeEndpoint, services: ProxyServices) {
  const rendered = new WeakMap<Release, StaticResponse>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const input = parseInput(endpoint, request, services.parameterNames);
    const format = freeFormat(endpoint, request);
    const release = services.releases.current;
    let response = rendered.get(release);
    if (response === undefined) {
      const { body } = await endpoint.respond(services, input);
      response = staticResponse(JSON.stringify(body));
      rendered.set(release, response);
    }
    reply.header('content-type', MEDIA_TYPES[format]);
    return services.catalogue.send(request, reply, response);
  };
}

/**
 * Handles a route whose response depends on the request or on the current state. The ETag is the
 * hash of the bytes, unless the endpoint states one before they are rendered.
 */
function serveComputed(endpoint: FreeEndpoint, services: ProxyServices) {
  const isProbe = endpoint.cache === 'never';
  const vary = endpoint.isGeoJson ? 'Accept, Accept-Encoding' : 'Accept-Encoding';
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { format, result } = await respondFreely(endpoint, request, services);
    if (result.etag) requirePreconditions(request.headers, { etag: result.etag, modified: null });
    const known = result.etag && knownRepresentation(request.headers['if-none-match'], result.etag);
    if (known) {
      const caching = { etag: known, 'cache-control': CACHE_CONTROL.catalogue, vary };
      return reply.headers(caching).code(304).send();
    }
    const { status = 200, body } = result;
    const text = JSON.stringify(body);
    reply.code(status).header('content-type', MEDIA_TYPES[format]);
    if (isProbe) {
      reply.dataRelease = result.release ?? null;
      if (status === 503) reply.headers(RETRY);
      return reply.header('cache-control', CACHE_CONTROL.never).send(text);
    }
    putNextPage(request, reply, body);
    const plain = result.etag ?? etagOf(text);
    const etag = format === 'json' ? plain : variantEtag(plain, format);
    return services.catalogue.send(request, reply, { bytes: Buffer.from(text), etag }, { vary });
  };
}

/** Repeats the cursor of a page in its headers, as on metered routes. */
function putNextPage(request: FastifyRequest, reply: FastifyReply, body: object): void {
  const { next_cursor: cursor } = body as { readonly next_cursor?: string | null };
  if (!cursor) return;
  reply.headers({ 'x-next-cursor': cursor, link: nextLink(request.raw.url!, cursor) });
}
