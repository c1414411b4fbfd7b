import type { FastifyReply, FastifyRequest } from 'fastify';
import { Body } from '../../portal/http/content-encoding.ts';
import type { SentHeader } from './common-headers.ts';
import { CORS_HEADERS } from './common-headers.ts';
import type { DeliveredFraction, ResponseWriter } from './response-writer.ts';

/** A header line as written, including those of the body's framing. */
export type Header = [
  name: SentHeader | 'connection' | 'content-type' | 'content-length' | 'content-encoding',
  value: string | number,
];

/** Headers as they are written: names and values by turns. */
export type HeaderList = Header[number][];

/** Headers common to all responses. */
export function commonHeaders(request: FastifyRequest): HeaderList {
  return ['x-request-id', request.id, ...CORS_HEADERS];
}

/** Adds a header to those that are there. */
export function putHeader(headers: HeaderList, name: Header[0], value: Header[1]): void {
  headers.push(name, value);
}

/**
 * Writes a whole answer past Fastify's reply: header by header costs more than all else on the way
 * of a hot answer. A header that HTTP does not allow is thrown, with the reply as it was. Resolves
 * with how much of it was delivered.
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

/** Writes a response that costs nothing, so its delivery is not measured. */
export function writeUnmetered(
  responseWriter: ResponseWriter,
  reply: FastifyReply,
  status: number,
  headers: HeaderList,
  body: Body = Body.NONE,
): void {
  writeHead(reply, status, headers);
  responseWriter.sendUnpaid(reply.raw, body);
}

function writeHead(reply: FastifyReply, status: number, headers: HeaderList): void {
  if (reply.server.ending.isSet) putHeader(headers, 'connection', 'close');
  // Node's types know only string values here; numbers are written as they are.
  reply.raw.writeHead(status, headers as string[]);
  reply.hijack();
}
