import type { FastifyReply, FastifyRequest } from 'fastify';
import { Body } from '../../portal/http/body.ts';
import { CORS_HEADERS } from './common-headers.ts';
import type { Outbox, Share } from './outbox.ts';

/** Headers as they are written: names and values by turns. */
export type HeaderList = (string | number)[];

/**
 * Writes a whole answer past Fastify's reply: header by header costs more than all else on the way
 * of a hot answer. A header that HTTP does not allow is thrown, with the reply as it was. Resolves
 * with how much of it was delivered.
 */
export function writeAnswer(
  outbox: Outbox,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: Readonly<HeaderList>,
  body: Body = Body.NONE,
): Promise<Share> {
  const all = ['x-request-id', request.id, ...CORS_HEADERS, ...headers];
  // Node's types know only string values here; numbers are written as they are.
  reply.raw.writeHead(status, all as string[]);
  reply.hijack();
  return outbox.send(reply.raw, request.raw.socket, body);
}
