import type { FastifyReply, FastifyRequest } from 'fastify';
import { CORS_HEADERS, type SentHeader } from './common-headers.ts';

/** A header line as written, including those of the body's framing. */
type Header = [
  name: SentHeader | 'connection' | 'content-type' | 'content-length' | 'content-encoding',
  value: string | number,
];

/** Headers as written: names and values alternating. */
export type HeaderList = Header[number][];

/** Headers common to all responses. */
export function commonHeaders(request: FastifyRequest): HeaderList {
  return ['x-request-id', request.id, ...CORS_HEADERS];
}

/** Adds a header to a list. */
export function putHeader(headers: HeaderList, name: Header[0], value: Header[1]): void {
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
