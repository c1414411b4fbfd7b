import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Release } from '../../shards/release/release.ts';
import type { KeyedEndpoint, MeteredEndpoint, PostEndpoint } from '../endpoint.ts';
import { execute } from '../execute.ts';
import { CACHE_CONTROL } from '../http/caching.ts';
import { CORS_HEADERS, nextLink, type SentHeader } from '../http/common-headers.ts';
import { policyHeader, rateHeader } from '../http/rate-limiting.ts';
import { type DeliveredFraction, isWritable } from '../http/response-writer.ts';
import { authorize } from '../metering/authorize.ts';
import { PrincipalGone } from '../metering/charges.ts';
import type { Admitted, Answer, Principal } from '../metering/principal.ts';
import type { ProxyServices } from '../services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once a POST is authenticated: its key is checked before its body is read. */
    admitted: Admitted | null;
  }
}

/** Admits a POST by its key, before its body is read. */
export function admitPost(services: ProxyServices) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.admitted = await authorize(services, request, reply);
  };
}

export function serveKeyed(
  endpoint: KeyedEndpoint | MeteredEndpoint | PostEndpoint,
  services: ProxyServices,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const principal = new HttpCaller(services, request, reply);
    try {
      await execute(endpoint, { request, principal, services });
    } catch (error) {
      if (!(error instanceof PrincipalGone)) throw error;
      reply.hijack();
    }
  };
}

/** The client of a connection, who gets answers as HTTP responses. */
export class HttpCaller implements Principal {
  readonly isExempt = false;
  protected readonly services: ProxyServices;
  protected readonly request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(services: ProxyServices, request: FastifyRequest, reply: FastifyReply) {
    this.services = services;
    this.request = request;
    this.#reply = reply;
  }

  async authorize(freeForMembers?: boolean): Promise<Admitted> {
    const { admitted } = this.request;
    return admitted ?? authorize(this.services, this.request, this.#reply, freeForMembers);
  }

  reads({ version }: Release): void {
    this.#reply.dataRelease = version;
  }

  hasLeft(): boolean {
    return !isWritable(this.request.raw.socket);
  }

  deliver(answer: Answer): Promise<DeliveredFraction> {
    const { responseWriter } = this.services;
    const { status, response, charged, isReplay } = answer;
    const { raw } = this.#reply;
    writeHead(this.#reply, status, headersOf(answer, this.request));
    if (charged > 0 || isReplay) return responseWriter.send(raw, response.body);
    responseWriter.sendUnmetered(raw, response.body);
    return DELIVERED;
  }

  report(fault: string, error?: unknown): void {
    const { id, log } = this.request;
    log.error({ ...(error !== undefined && { err: error }), reqId: id }, fault);
  }
}

const METERED_VARY = 'Authorization, Accept-Encoding, Accept';
/** The delivery of what is free is not measured. */
const DELIVERED = Promise.resolve(1);

function headersOf(answer: Answer, request: FastifyRequest): HeaderList {
  const { etag, release, rate, response, cost, remaining } = answer;
  const { body, contentType, contentEncoding, metadata } = response;
  const headers = commonHeaders(request);
  if (etag !== undefined) putHeader(headers, 'etag', etag);
  putHeader(headers, 'cache-control', answer.cacheControl ?? CACHE_CONTROL.never);
  putHeader(headers, 'vary', answer.vary ?? METERED_VARY);
  if (rate !== undefined) {
    putHeader(headers, 'ratelimit-policy', policyHeader(rate));
    putHeader(headers, 'ratelimit', rateHeader(rate));
  }
  if (release !== undefined) putHeader(headers, 'x-data-release', release);
  if (contentType !== null) {
    putHeader(headers, 'content-type', contentType);
    putHeader(headers, 'content-length', body.length);
    if (contentEncoding !== null) putHeader(headers, 'content-encoding', contentEncoding);
    for (const name in metadata) headers.push(name, metadata[name as SentHeader]!);
    const nextCursor = metadata['x-next-cursor'];
    if (nextCursor !== undefined && request.method !== 'POST') {
      putHeader(headers, 'link', nextLink(request.url, nextCursor));
    }
  }
  if (cost !== undefined) putHeader(headers, 'x-tokens-cost', cost);
  if (remaining !== undefined) {
    putHeader(headers, 'x-tokens-charged', answer.charged);
    putHeader(headers, 'x-tokens-remaining', remaining);
  }
  if (answer.isReplay) putHeader(headers, 'idempotency-replayed', 'true');
  return headers;
}

/** A header line as written, including those of the body's framing. */
type Header = [
  name: SentHeader | 'connection' | 'content-type' | 'content-length' | 'content-encoding',
  value: string | number,
];

/** Headers as written: names and values alternating. */
type HeaderList = Header[number][];

export function commonHeaders(request: FastifyRequest): HeaderList {
  return ['x-request-id', request.id, ...CORS_HEADERS];
}

function putHeader(headers: HeaderList, name: Header[0], value: Header[1]): void {
  headers.push(name, value);
}

/**
 * Writes the head of a response, bypassing Fastify's reply: adding headers one by one costs more
 * than everything else a cached response takes. Throws for a header that HTTP does not allow,
 * leaving the reply unchanged.
 */
export function writeHead(reply: FastifyReply, status: number, headers: HeaderList): void {
  if (reply.server.shutdown.closesConnections) putHeader(headers, 'connection', 'close');
  // Node's types allow only string values here; numbers are written unchanged.
  reply.raw.writeHead(status, headers as string[]);
  reply.hijack();
}
