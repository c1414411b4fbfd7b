import type { FastifyInstance } from 'fastify';

/** Any page may call the API: its keys travel in a header, never in a cookie. */
export const CORS_HEADERS = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'ETag, X-Tokens-Charged, X-Tokens-Remaining, X-Tokens-Cost, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Idempotency-Replayed, Link',
] as const;

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'Authorization, If-None-Match, Idempotency-Key, Content-Type',
  'access-control-max-age': '86400',
} as const;

/** Answers preflight requests for every path. */
export function answerPreflights(app: FastifyInstance): void {
  app.options('/*', (_request, reply) => {
    reply.code(204).headers(PREFLIGHT).send();
  });
}
