import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Waiters } from '../../shards/concurrency/fair-queue.ts';
import type { Release } from '../../shards/release/release.ts';
import type { MeteredEndpoint } from '../endpoint.ts';
import {
  type Format,
  formatFor,
  GEOJSON_OBJECT,
  MEDIA_TYPES,
  offersOf,
} from '../formats/negotiate.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import type { Body } from '../http/body.ts';
import {
  CACHE_CONTROL,
  failedPrecondition,
  knownRepresentation,
  matchesAny,
  variantEtag,
} from '../http/caching.ts';
import type { SentHeader } from '../http/common-headers.ts';
import { nextLink } from '../http/common-headers.ts';
import { acceptsGzip } from '../http/content-encoding.ts';
import {
  commonHeaders,
  type HeaderList,
  putHeader,
  writeResponse,
  writeUnmetered,
} from '../http/raw-response.ts';
import { parseInput } from '../http/validation.ts';
import type { Charge } from '../ledger/metering.ts';
import { type AuthorizedRequest, authorize } from '../metering/authorize.ts';
import { debit, deliverBody, mayAfford, tokensExhausted } from '../metering/debit.ts';
import { cacheKeyOf, strongEtag } from '../metering/etag.ts';
import { putMeteredHeaders, putTokenHeaders } from '../metering/metered-headers.ts';
import { unlessGone } from '../metering/open-charges.ts';
import type { ResolvedQuery, ResolvedRequest } from '../metering/query-cache.ts';
import type { FinishedResponse } from '../metering/response-cache.ts';
import { PLANS } from '../plans.ts';
import type { ProxyServices } from '../services.ts';
import { compressed, finishResponse, inflated, isCompressible } from './finish-response.ts';

/**
 * Handles every metered GET, in this order: key and rate, validation, preconditions, If-None-Match,
 * reading, debit, response. A failure before the debit costs nothing; whatever is debited and then
 * not delivered to the socket is refunded. The same release is used throughout.
 */
export function serveMetered(endpoint: MeteredEndpoint, services: ProxyServices) {
  const { queries, releases } = services;
  const offers = offersOf(endpoint);
  const route = `GET ${endpoint.path}`;

  const resolve = (release: Release, request: FastifyRequest): Promise<ResolvedRequest> =>
    queries.compute(release, request.raw.url!, async () => {
      const input = parseInput(endpoint, request, services.parameterNames);
      const resolved = await endpoint.resolve(release, input, services);
      const etag = strongEtag(resolved.canonical, resolved.dependsOn);
      return { resolved, etag, cacheKey: cacheKeyOf(etag, resolved) };
    });

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const admitted = await authorize(services, request, reply, endpoint.freeForMembers);
    const release = releases.current;
    reply.dataRelease = release.version;
    const known = queries.get(release, request.raw.url!);
    const { resolved, etag: base, cacheKey } = known ?? (await resolve(release, request));
    const { accept } = request.headers;
    const format = formatFor(accept, resolved.isGeoJson ? GEOJSON_OBJECT : offers);
    const isFree = endpoint.freeForMembers === true && admitted.member;
    const metered: MeteredRequest = {
      endpoint,
      services,
      route,
      request,
      reply,
      admitted,
      isFree,
      release,
      resolved,
      format,
      etag: inFormat(base, format),
      cacheKey: inFormat(cacheKey, format),
    };
    return unlessGone(reply, () => respond(metered));
  };
}

/** Returns the variant of an ETag, or of the key of a response, for a format. */
function inFormat(tag: string, format: Format): string {
  return format === 'json' ? tag : variantEtag(tag, format);
}

/** A parsed metered GET. */
interface MeteredRequest {
  readonly endpoint: MeteredEndpoint;
  readonly services: ProxyServices;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly admitted: AuthorizedRequest;
  /** Route name in usage statistics. */
  readonly route: string;
  /** Whether a member makes the request and the route is free for members. */
  readonly isFree: boolean;
  readonly release: Release;
  readonly resolved: ResolvedQuery;
  readonly format: Format;
  /** ETag of the response in this format, uncompressed. */
  readonly etag: string;
  /** The key of that response in the cache. */
  readonly cacheKey: string;
}

async function respond(metered: MeteredRequest): Promise<void> {
  const { endpoint, request, release, resolved, admitted, isFree, format, etag, cacheKey } =
    metered;
  const modified = release.latest.published_at;
  const failed = failedPrecondition(request.headers, { etag, modified });
  if (failed) {
    await locate(metered);
    throw failed;
  }
  const ifNoneMatch = request.headers['if-none-match'];
  const known = knownRepresentation(ifNoneMatch, etag);
  if (known !== undefined) {
    if (matchesAny(ifNoneMatch)) await locate(metered);
    return notModified(metered, known);
  }
  const isHead = request.method === 'HEAD';
  const price = endpoint.price?.(resolved);
  // A HEAD costs the minimum, whatever the price of the GET.
  const isPayable = mayAfford(admitted.balance, isHead ? undefined : price);
  if (!isPayable && !isFree && !endpoint.mayBeEmpty) {
    await locate(metered);
    throw tokensExhausted(admitted.balance, price);
  }
  if (isHead && price !== undefined) {
    await locate(metered);
    const { 'accept-encoding': accepted } = request.headers;
    const isZipped = isCompressible(MEDIA_TYPES[format]) && acceptsGzip(accepted);
    return sendHead(metered, 200, price, isZipped ? variantEtag(etag, 'gzip') : etag);
  }
  const plain = metered.services.responses.get(cacheKey) ?? (await compute(metered));
  return send(metered, await encoded(metered, plain));
}

async function locate({ endpoint, release, resolved, admitted }: MeteredRequest): Promise<void> {
  await endpoint.locate?.(release, resolved, admitted.account);
}

function notModified(metered: MeteredRequest, etag: string): void {
  const { services, reply, admitted, isFree } = metered;
  const headers = headersOf(metered, etag);
  if (!isFree) putTokenHeaders(headers, 0, admitted.balance);
  writeUnmetered(services.responseWriter, reply, 304, headers);
}

/**
 * Compresses the response if worthwhile, or decompresses it for clients that accept no compression.
 * If the price follows from the request, the response is compressed regardless of its length, so
 * that a HEAD, for which the length is unknown, states the same ETag.
 */
function encoded(
  { endpoint, services: { responses }, request, cacheKey }: MeteredRequest,
  plain: FinishedResponse,
): FinishedResponse | Promise<FinishedResponse> {
  if (!acceptsGzip(request.headers['accept-encoding'])) return inflated(plain);
  const zipped = variantEtag(cacheKey, 'gzip');
  const isAlways = endpoint.price !== undefined;
  return responses.get(zipped) ?? responses.getOrCompute(zipped, () => compressed(plain, isAlways));
}

async function send(metered: MeteredRequest, response: FinishedResponse): Promise<void> {
  const { services, request, reply, isFree, etag } = metered;
  const { body, contentType, contentEncoding, tokens } = response;
  const status = contentType === null ? 204 : 200;
  const sentEtag = contentEncoding === null ? etag : variantEtag(etag, 'gzip');
  if (request.method === 'HEAD') return sendHead(metered, status, tokens, sentEtag);
  const headers = headersOf(metered, sentEtag);
  putContentHeaders(headers, request, response);
  if (isFree) return writeUnmetered(services.responseWriter, reply, status, headers, body);
  return deliver(metered, tokens, status, headers, body);
}

/**
 * Responds to a HEAD with the price of the GET and nothing else about its response, not even the
 * length, from which bisection would reveal rows.
 */
async function sendHead(
  metered: MeteredRequest,
  status: number,
  tokens: number,
  etag: string,
): Promise<void> {
  const { services, reply, isFree } = metered;
  const headers = headersOf(metered, etag);
  if (isFree) return writeUnmetered(services.responseWriter, reply, status, headers);
  putHeader(headers, 'x-tokens-cost', tokens);
  // The HEAD of a response that is free for GET is free as well.
  return deliver(metered, Math.min(PLANS.charges.minimum, tokens), status, headers);
}

/** Debits the price of a response and writes it. */
async function deliver(
  metered: MeteredRequest,
  tokens: number,
  status: number,
  headers: HeaderList,
  body?: Body,
): Promise<void> {
  const { services, reply, admitted } = metered;
  if (tokens > 0) return charge(metered, tokens, status, headers, body);
  putTokenHeaders(headers, 0, admitted.balance);
  writeUnmetered(services.responseWriter, reply, status, headers, body);
}

async function charge(
  {
    services: { ledger, charges, responseWriter },
    request,
    reply,
    admitted,
    route,
    endpoint,
    resolved,
  }: MeteredRequest,
  tokens: number,
  status: number,
  headers: HeaderList,
  body?: Body,
): Promise<void> {
  const { account, keyId } = admitted;
  const due: Charge = { account, keyId, route, tokens, atMs: Date.now() };
  // A response that may be empty, and is then free, has a fixed price otherwise.
  const isPublic = endpoint.mayBeEmpty === true || endpoint.price?.(resolved) === tokens;
  const { refunded } = await charges.open(request, async () => {
    putTokenHeaders(headers, tokens, await debit(ledger, due, isPublic ? tokens : undefined));
    return deliverBody(
      request,
      tokens,
      (undelivered) => ledger.refund(due, undelivered),
      () => ({ share: writeResponse(responseWriter, reply, status, headers, body) }),
    );
  });
  return refunded;
}

function headersOf(
  { request, admitted, release, resolved }: MeteredRequest,
  etag: string,
): HeaderList {
  const headers = commonHeaders(request);
  putHeader(headers, 'etag', etag);
  const cacheControl = resolved.isPinned ? CACHE_CONTROL.pinned : CACHE_CONTROL.revalidated;
  putMeteredHeaders(headers, cacheControl, admitted.rate);
  putHeader(headers, 'x-data-release', release.version);
  return headers;
}

function putContentHeaders(
  headers: HeaderList,
  request: FastifyRequest,
  { body, contentType, contentEncoding, metadata }: FinishedResponse,
): void {
  if (contentType === null) return;
  putHeader(headers, 'content-type', contentType);
  putHeader(headers, 'content-length', body.length);
  if (contentEncoding) putHeader(headers, 'content-encoding', contentEncoding);
  for (const name in metadata) headers.push(name, metadata[name as SentHeader]!);
  const nextCursor = metadata['x-next-cursor'];
  if (nextCursor !== undefined) putHeader(headers, 'link', nextLink(request.raw.url!, nextCursor));
}

/** Computes the response. */
function compute({
  endpoint,
  services,
  admitted,
  release,
  resolved,
  format,
  cacheKey,
}: MeteredRequest): Promise<FinishedResponse> {
  const work = async (waiters: Waiters) => {
    const located = await endpoint.locate?.(release, resolved, waiters);
    const { config, cursors } = services;
    const context = { config, cursors, waiters, format: ROW_FORMATS[format] };
    const response = await endpoint.respond(release, resolved, context, located);
    return finishResponse(response, format, waiters);
  };
  return services.responses.getOrCompute(cacheKey, work, admitted.account);
}
