import type { FastifyReply, FastifyRequest } from 'fastify';
import { CORS_HEADERS } from './common-headers.ts';

/**
 * Writes a whole answer in one go, past Fastify's reply: header by header costs more than all else
 * on the way of a hot answer. `headers` alternates names and values.
 */
export function writeAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: readonly (string | number)[],
  body?: Buffer,
): FastifyReply {
  reply.hijack();
  const all = ['x-request-id', request.id, ...CORS_HEADERS, ...headers];
  // Node's types know only string values here; numbers are written as they are.
  reply.raw.writeHead(status, all as string[]);
  reply.raw.end(body);
  return reply;
}
