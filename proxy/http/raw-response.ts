import type { FastifyReply, FastifyRequest } from 'fastify';
import { Body } from './body.ts';
import { CORS_HEADERS, type SentHeader } from './common-headers.ts';
import type { DeliveredFraction, ResponseWriter } from './response-writer.ts';

/** A header line as written, including those of the body's framing. */
export type Header = [
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
 * Writes a whole response, bypassing Fastify's reply: adding headers one by one costs more than
 * everything else a cached response takes. Throws for a header that HTTP does not allow, leaving
 * the reply unchanged. Resolves with the fraction of the body delivered.
 */
export function writeResponse(
  responseWriter: ResponseWriter,
  reply: FastifyReply,
  status: number,
  headers: HeaderList,
  body: Body = Body.NONE,
): Promise<DeliveredFraction> {
  writeHead(reply, status, headers);
  return responseWriter.send(reply.raw, body);
}

/** Writes a free response, whose delivery is not measured. */
export function writeUnmetered(
  responseWriter: ResponseWriter,
  reply: FastifyReply,
  status: number,
  headers: HeaderList,
  body: Body = Body.NONE,
): void {
  writeHead(reply, status, headers);
  responseWriter.sendUnmetered(reply.raw, body);
}

function writeHead(reply: FastifyReply, status: number, headers: HeaderList): void {
  if (reply.server.shutdown.closesConnections) putHeader(headers, 'connection', 'close');
  // Node's types allow only string values here; numbers are written unchanged.
  reply.raw.writeHead(status, headers as string[]);
  reply.hijack();
}
