import type { FastifyInstance, FastifyReply } from 'fastify';
import { EXPOSED } from './answer-headers.ts';
import { policyHeader, rateHeader } from './rate-headers.ts';

/** Any page may call the API: its keys travel in a header, never in a cookie. */
export const CORS_HEADERS = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  EXPOSED,
] as const;

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'Authorization, If-None-Match, Idempotency-Key, Content-Type',
  'access-control-max-age': '86400',
} as const;

/** Sets what every answer carries: the id of its request, its rate, and that any page may read it. */
export function setCommonHeaders(reply: FastifyReply): void {
  if (reply.rate) {
    reply.header('ratelimit-policy', policyHeader(reply.rate));
    reply.header('ratelimit', rateHeader(reply.rate));
  }
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
