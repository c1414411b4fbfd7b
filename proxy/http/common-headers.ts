import type { FastifyInstance, FastifyReply } from 'fastify';
import { setRateHeaders } from '../../portal/http/rate-headers.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The release that a metered request is answered from, once its key is known. */
    dataRelease: string | null;
  }
}

/**
 * Any page may call the API and read all of an answer: its keys travel in a header, never in a
 * cookie. So every answer says it in few bytes, and none differs by who asks.
 */
export const CORS_HEADERS = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  '*',
] as const;

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers':
    'Authorization, If-None-Match, Idempotency-Key, X-Request-Id, Content-Type',
  'access-control-max-age': '86400',
} as const;

/**
 * Sets what every answer carries: the id of its request, its rate, and that any page may read it. An
 * error after the key check also says that it cost nothing, and which release it speaks of.
 */
export function setCommonHeaders(reply: FastifyReply): void {
  // Of a malformed URL the framework's reply has no balance at all.
  if (reply.statusCode >= 400 && typeof reply.balance === 'number') {
    reply.headers({ 'x-tokens-charged': 0, 'x-tokens-remaining': reply.balance });
  }
  if (reply.dataRelease) reply.header('x-data-release', reply.dataRelease);
  setRateHeaders(reply);
  reply.header('x-request-id', reply.request.id);
  for (let i = 0; i < CORS_HEADERS.length; i += 2) {
    reply.header(CORS_HEADERS[i], CORS_HEADERS[i + 1]);
  }
}

/** Answers preflight requests for every path. */
export function answerPreflights(app: FastifyInstance): void {
  app.options('/*', (_request, reply) => {
    reply.code(204).headers(PREFLIGHT).send();
  });
}
