import type { FastifyReply, FastifyRequest } from 'fastify';
import { CORS_HEADERS } from './common-headers.ts';

/**
 * Writes a whole answer in one go, past Fastify's reply: header by header costs more than all else
 * on the way of a hot answer. `headers` alternates names and values. A header that HTTP does not
 * allow is thrown, with the reply as it was.
 *
 * It returns nothing on purpose: a Fastify reply is a thenable, so what an async function returned
 * would be undefined.
 */
export function writeAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: readonly (string | number)[],
  body?: Buffer,
): void {
  const all = ['x-request-id', request.id, ...CORS_HEADERS, ...headers];
  // Node's types know only string values here; numbers are written as they are.
  reply.raw.writeHead(status, all as string[]);
  reply.hijack();
  reply.raw.end(body);
}
